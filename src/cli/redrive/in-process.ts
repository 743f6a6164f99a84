import { Unavailable } from '../../model/errors.ts';
import type { Message, Parked } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Engine } from '../../propagation/context.ts';
import { type DeadLetterPort, defaultSettings, type TablePort } from '../../ports.ts';
import { QueueAtHand } from '../../propagation/in-memory-queue.ts';
import { systemClock } from '../../scan/system-clock.ts';
import { takeTurns } from '../../propagation/take-turns.ts';
import { deadLetterFolder } from '../../dev/queue/dead-letter-folder.ts';
import { telemetryFor } from '../../dev/dev-functions.ts';

/**
 * Bounds of turns that are taken by a command. What is redriven is older than any index lags, so that nothing has to
 * settle; and whoever waits for a command would rather see a letter parked again than an hour of retries.
 */
const settings = { ...defaultSettings, settleDelaySeconds: 0, mostHops: 4, maxUnavailableSeconds: 15 };

export interface TurnsAtHandOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  /** What is parked goes below this folder, as `denorm dev` does it. Where there is none, what would be parked fails. */
  readonly stateDir: string | undefined;
  readonly onParked: (parked: Parked) => void;
}

/** Turns that are taken in this process, with all that they ask for. */
export interface TurnsAtHand {
  readonly engine: Engine;
  /** Takes these turns, and whatever the engine has queued by now, until nothing is left. */
  take(messages: readonly Message[]): Promise<void>;
}

export function turnsAtHand({ registry, table, stateDir, onParked }: TurnsAtHandOptions): TurnsAtHand {
  const deadLetters = stateDir === undefined ? nowhere : below(stateDir);
  const queue = new QueueAtHand(systemClock, deadLetters);
  const telemetry = telemetryFor({ onParked }, Date.now());
  const { now } = systemClock;
  const engine: Engine = { registry, table, queue, telemetry, settings, outOfTime: () => false, now };
  return {
    engine,
    take: async (messages) =>
      takeTurns(engine, queue, messages.length > 0 ? messages : await queue.takeDue()),
  };
}

function below(stateDir: string): DeadLetterPort {
  const folder = deadLetterFolder(stateDir);
  return {
    async park(parked) {
      for (const thing of parked)
        await folder.add({ kind: 'parked', at: new Date().toISOString(), parked: thing });
    },
  };
}

const nowhere: DeadLetterPort = {
  async park([first]) {
    if (first !== undefined)
      throw new Unavailable(
        'queue.refused',
        `${first.reason} (${first.code}); there is no dead-letter queue here to park that in: name the --stack`,
      );
  },
};
