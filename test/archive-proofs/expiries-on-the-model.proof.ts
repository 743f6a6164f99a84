import { expect, test } from 'vitest';
import { Random } from '../../src/develop/testing/simulation/random.ts';
import { ModelArchive } from '../../src/develop/testing/table-model/model-archive.ts';
import { modelArchiveReader } from '../../src/develop/testing/table-model/model-archive-reader.ts';
import { ModelNotes } from '../../src/develop/testing/table-model/model-notes.ts';
import { letExpire } from './expiries.ts';
import { countsText, figuresText, peakMemory, S3Figures } from './figures.ts';
import { FlakyArchive } from './flaky-archive.ts';
import { expectNothing } from './found.ts';
import { judge } from './judge.ts';
import { emptyModelTable, restoreAll } from './restored.ts';
import { whatWas } from './what-was.ts';

const expiries = Number(process.env.DENORM_TEST_EXPIRIES ?? 100_000);
const seed = Number(process.env.DENORM_TEST_SEED ?? 1);

test(`of ${expiries} expiries, none is lost, doubled or wrong, though a fifth of the requests fail`, async () => {
  const started = performance.now();
  const figures = new S3Figures();
  const archive = new ModelArchive();
  const flaky = new FlakyArchive(archive, new Random(seed + 2), figures, 0.2);
  const { deliveries, traffic, failures, history } = await letExpire({ expiries, seed, archive: flaky });
  const perExpiry = figures.total() / traffic.expired;
  const asked = { requests: countsText(figures.requests), failing: figures.failing() };

  const reader = modelArchiveReader(archive, 10_000);
  const judgement = await judge(reader, whatWas(history));
  const { items, lost, wrong, doubled } = judgement;
  const { restored, differing } = await restoreAll(reader, new ModelNotes(), items, emptyModelTable);
  flaky.failing = 0;
  // Batches of the same records have the same names; where the records come in other company, there are new ones.
  const replayed = await putsIn(figures, () => deliveries.replay());
  const replayedAgain = await putsIn(figures, () => deliveries.replay());

  console.log(
    figuresText('Expiries on the model', {
      expiries: traffic.expired,
      'deleted by users': traffic.deleted,
      records: countsText(new Map(Object.entries(deliveries.counts))),
      requests: asked.requests,
      'requests for an expiry': perExpiry,
      'failed requests': `${(asked.failing * 100).toFixed(1)} %: ${countsText(figures.failures)}`,
      'items not seen to in time': countsText(failures),
      objects: archive.keys().length,
      'states listed': judgement.states,
      'lines that stand in two batches': judgement.again,
      'lives restored': restored,
      'puts in a replay of all': `${replayed.single}, and ${replayed.batch} of other batches`,
      'puts in a replay of the same batches': replayedAgain.single + replayedAgain.batch,
      'peak memory': `${peakMemory()} MB`,
      seconds: Math.round((performance.now() - started) / 1000),
    }),
  );
  expectNothing({ lost, wrong, doubled, differing });
  expect(restored).toBeGreaterThan(traffic.expired * 0.5);
  expect([replayed.single, replayedAgain]).toEqual([0, { single: 0, batch: 0 }]);
});

interface Puts {
  readonly single: number;
  readonly batch: number;
}

/** Puts that some work asks for. */
async function putsIn({ requests }: S3Figures, work: () => Promise<void>): Promise<Puts> {
  const now = (): Puts => ({ single: requests.get('put') ?? 0, batch: requests.get('put of a batch') ?? 0 });
  const before = now();
  await work();
  return { single: now().single - before.single, batch: now().batch - before.batch };
}
