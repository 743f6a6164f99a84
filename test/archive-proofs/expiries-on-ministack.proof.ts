import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/develop/testing/simulation/random.ts';
import { retryingArchive } from '../../src/worker/adapters/s3/retrying-archive.ts';
import { s3Archive } from '../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../src/worker/adapters/s3/s3-notes.ts';
import { startMiniStack } from '../table-model/fidelity/ministack.ts';
import { letExpire } from './expiries.ts';
import { countsText, figuresText, peakMemory, S3Figures } from './figures.ts';
import { FlakyS3 } from './flaky-s3.ts';
import { expectNothing } from './found.ts';
import { judge } from './judge.ts';
import { newBucket } from './mini-stack-bucket.ts';
import { emptyModelTable, restoreAll } from './restored.ts';
import { whatWas } from './what-was.ts';

const expiries = Number(process.env.DENORM_TEST_S3_EXPIRIES ?? 5_000);
const seed = Number(process.env.DENORM_TEST_SEED ?? 1);

let server: Awaited<ReturnType<typeof startMiniStack>>;

beforeAll(async () => {
  server = await startMiniStack();
});

afterAll(() => server?.stop());

test(`of ${expiries} expiries on S3, none is lost, doubled or wrong, though a fifth of the requests fail`, async () => {
  const started = performance.now();
  const figures = new S3Figures();
  const flaky = new FlakyS3(server.endpoint, new Random(seed + 2), figures, 0);
  const { client } = flaky;
  const bucket = await newBucket(client);
  flaky.failing = 0.2;
  const archive = retryingArchive(s3Archive({ client, bucket }));
  const { deliveries, traffic, failures, history } = await letExpire({ expiries, seed, archive });
  const [puts, heads] = [figures.requests.get('put') ?? 0, figures.requests.get('head') ?? 0];
  const [requests, failed] = [countsText(figures.requests), countsText(figures.failures)];
  const [perExpiry, failing] = [figures.total() / traffic.expired, figures.failing()];
  const archived = Math.round((performance.now() - started) / 1000);

  flaky.failing = 0;
  const reader = s3ArchiveReader({ client, bucket });
  const judgement = await judge(reader, whatWas(history));
  const { items, lost, wrong, doubled } = judgement;
  flaky.failing = 0.2;
  const notes = s3Notes({ client, bucket });
  const { restored, differing } = await restoreAll(reader, notes, items, emptyModelTable);

  console.log(
    figuresText('Expiries on MiniStack’s S3', {
      expiries: traffic.expired,
      'deleted by users': traffic.deleted,
      records: countsText(new Map(Object.entries(deliveries.counts))),
      requests,
      'requests for an expiry': `${perExpiry.toFixed(2)}, ${puts} puts and ${heads} heads in all`,
      'failed requests': `${(failing * 100).toFixed(1)} %: ${failed}`,
      'items not seen to in time': countsText(failures),
      'states listed': judgement.states,
      'lines that stand in two batches': judgement.again,
      'lives restored': restored,
      'peak memory': `${peakMemory()} MB`,
      seconds: `${Math.round((performance.now() - started) / 1000)}, ${archived} of them for archiving`,
    }),
  );
  client.destroy();
  expectNothing({ lost, wrong, doubled, differing });
  expect(restored).toBeGreaterThan(traffic.expired * 0.5);
});
