import { Random } from '../../src/develop/testing/simulation/random.ts';
import { ModelQueue } from '../../src/develop/testing/table-model/model-queue.ts';
import { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/develop/testing/table-model/model-table-port.ts';
import { DenormError } from '../../src/model/errors.ts';
import { silentTelemetry } from '../../src/operate/offline/silent-telemetry.ts';
import type { ArchivePort } from '../../src/worker/archive/ports.ts';
import { defaultSettings } from '../../src/worker/ports.ts';
import { table as names } from '../fixtures/model/table.ts';
import { Deliveries } from './deliveries.ts';
import { add } from './figures.ts';
import { registryOfMoorings } from './moorings.ts';
import { Traffic } from './traffic.ts';

/** Where the time begins, in epoch milliseconds, and how much passes with each change, so that days go by. */
const start = Date.UTC(2026, 0, 1);
const tick = 500;

/** How often something happens to an item between two requests of a function. */
const bustle = 0.2;

export interface Expiries {
  readonly expiries: number;
  readonly seed: number;
  readonly archive: ArchivePort;
}

/** Lets items expire, and hands what the stream says of it to the archive until all is acknowledged. */
export async function letExpire({ expiries, seed, archive }: Expiries) {
  let now = start;
  const table = new ModelTable(names, () => now);
  const port = new ModelTablePort(table);
  const random = new Random(seed);
  const traffic = new Traffic(new Random(seed + 1), table, expiries);
  const failures = new Map<string, number>();
  let nonces = 0;
  const nonce = (): Uint8Array => {
    nonces += 1;
    return new Uint8Array(new BigUint64Array([BigInt(nonces)]).buffer);
  };
  const deliveries = new Deliveries(
    {
      registry: registryOfMoorings,
      table: port,
      archive,
      queue: new ModelQueue(),
      telemetry: { ...silentTelemetry, failed: (error) => add(failures, codeOf(error)) },
      nonce,
      concurrency: defaultSettings.concurrency,
    },
    random,
  );
  table.watcher = (change) => {
    now += tick;
    deliveries.note(change);
  };
  port.before = () => {
    if (random.chance(bustle)) traffic.act();
  };
  while (!traffic.over()) {
    const most = random.pick([50, 400, 1_500]);
    for (let act = 0; act < most; act += 1) traffic.act();
    await deliveries.round();
  }
  while (deliveries.left() > 0) {
    await deliveries.round();
    if (random.chance(0.2)) await deliveries.redrive();
  }
  return { deliveries, traffic, failures, history: table.history };
}

function codeOf(error: unknown): string {
  return error instanceof DenormError ? error.code : String(error);
}
