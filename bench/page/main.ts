// What an open page costs the worker of `denorm dev`: the same changes, at 10,000 a minute, with the page open in chromium and
// with it closed, in turns. Chromium runs all the while, in processes of its own; only the time of `denorm dev` is counted.
// Each pair of rounds gives one ratio, so that what slows the machine for minutes slows both. Exits 1 if the median of the
// ratios of processor time is above 1.05.
//
//   npm run bench:page -- [number of pairs]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationTable } from '../../src/develop/dev/table/application-table.ts';
import { table } from '../../test/application/table.ts';
import { openChromium } from '../../test/browser/chromium.ts';
import { median, spread } from './figures.ts';
import { startWorker } from './worker.ts';

/** Changes of a round, and how long they take: 10,000 a minute. */
const changes = 2_500;
const seconds = 15;
/** Changes that are sent together. */
const together = 10;
const roots = 500;
const most = 1.05;

const pairs = Number(process.argv[2] ?? 10);
if (!Number.isInteger(pairs) || pairs < 1) {
  console.error(
    `Expected a number of pairs from 1 up, got ${process.argv[2]}: run it as \`npm run bench:page -- 10\``,
  );
  process.exit(2);
}

interface Round {
  /** Processor time of `denorm dev`, in seconds. */
  readonly user: number;
  readonly both: number;
  /** Median of the propagations, in milliseconds. */
  readonly lag: number;
  /** Median of the times to the page's next frame, in milliseconds; NaN if it is closed. */
  readonly frame: number;
}

const folder = await mkdtemp(join(tmpdir(), 'denorm-bench-'));
const worker = await startWorker(folder);
const chromium = await openChromium();
const page = await chromium.newPage();
const application = new ApplicationTable(worker.endpoint, 'app', table);
let written = 0;

try {
  for (let root = 0; root < roots; root += 1) {
    await application.put({
      ...keyOf(root),
      Title: '',
      State: 'OPEN',
      Status: 'RESOLVED',
      CreatedAt: 1,
      Number: 1,
    });
    await application.put({
      ...{ PK: `acct_1#inc_${root}#incpart`, SK: 'user_1', ParticipantID: 'user_1', Title: '' },
      ...{ GSI1PK: 'acct_1#user_1#incpart', GSI1SK: 'x' },
    });
  }
  // The first rounds compile the code of both.
  await round(false);
  await round(true);
  const found: { readonly closed: Round; readonly open: Round }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const isOpenFirst = pair % 2 === 1;
    const first = await round(isOpenFirst);
    const second = await round(!isOpenFirst);
    const both = isOpenFirst ? { open: first, closed: second } : { open: second, closed: first };
    found.push(both);
    console.log(
      `pair ${pair + 1}: ${both.closed.user.toFixed(2)} s closed, ${both.open.user.toFixed(2)} s open; ` +
        `lag ${both.closed.lag} and ${both.open.lag} ms; next frame after ${both.open.frame.toFixed(0)} ms`,
    );
  }
  const ratio = say('user time of denorm dev, open to closed', found, ({ user }) => user);
  say('user and system time', found, ({ both }) => both);
  say('median lag', found, ({ lag }) => lag);
  console.log(
    `the open page: median time to its next frame ${median(found.map(({ open }) => open.frame)).toFixed(0)} ms`,
  );
  process.exitCode = ratio > most ? 1 : 0;
} finally {
  application.close();
  await chromium.close();
  await worker.stop();
  await rm(folder, { recursive: true, force: true });
}

function keyOf(root: number) {
  return { PK: 'acct_1#inc', SK: `inc_${root}` };
}

function say(
  what: string,
  found: readonly { readonly closed: Round; readonly open: Round }[],
  of: (round: Round) => number,
): number {
  const ratios = found.map(({ closed, open }) => of(open) / of(closed));
  const each = (['closed', 'open'] as const).map(
    (one) => `${one} ${median(found.map((pair) => of(pair[one]))).toFixed(2)}`,
  );
  console.log(`${what}: median ratio ${median(ratios).toFixed(3)}, ${spread(ratios)} (${each.join(', ')})`);
  return median(ratios);
}

async function round(isOpen: boolean): Promise<Round> {
  await page.goto(isOpen ? worker.page : 'about:blank');
  if (isOpen) await page.getByText('live', { exact: true }).waitFor();
  // The server keeps content for five seconds after the last page is closed.
  await pause(isOpen ? 500 : 6_000);
  const before = await worker.used();
  worker.lags.length = 0;
  const frames: number[] = [];
  const start = performance.now();
  let busy = false;
  for (let sent = 0; sent < changes; sent += together) {
    const due = start + (sent / changes) * seconds * 1_000;
    await pause(Math.max(0, due - performance.now()));
    if (isOpen && !busy && sent % 100 === 0) {
      busy = true;
      void nextFrame().then((time) => {
        frames.push(time);
        busy = false;
      });
    }
    await Promise.all(Array.from({ length: together }, () => change()));
  }
  await arrived();
  const after = await worker.used();
  const user = after.user - before.user;
  return { user, both: user + after.system - before.system, lag: median(worker.lags), frame: median(frames) };
}

async function change(): Promise<void> {
  written += 1;
  const { PK, SK } = keyOf(written % roots);
  await application.update({ pk: PK, sk: SK }, { Title: `title ${written}` });
}

/** Waits until the last change has arrived at its copy. */
async function arrived(): Promise<void> {
  const copy = { pk: `acct_1#inc_${written % roots}#incpart`, sk: 'user_1' };
  const end = performance.now() + 60_000;
  while ((await application.get(copy))?.['Title'] !== `title ${written}`) {
    if (performance.now() > end) throw new Error('Expected the last copy to follow within a minute');
    await pause(50);
  }
  // Its record is checked.
  await pause(1_000);
}

/** How long the page takes to its next frame, in milliseconds. */
async function nextFrame(): Promise<number> {
  const before = performance.now();
  await page.evaluate('new Promise(requestAnimationFrame)');
  return performance.now() - before;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
