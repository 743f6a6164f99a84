/**
 * `npm run simulate:planted`: plants each bug into a copy of the source and plays seeds there until one fails: of the
 * applications, of the tournament for bugs of totals, or of the catalogue for bugs of created copies. Prints a
 * table of the seeds needed, and exits 1 where a bug is not found, or where the untouched source fails. For designs that a schedule
 * refutes, it compares the shortest one with that in refuted.md; `--write` writes it there. Words select the bugs whose names
 * contain one of them.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import * as z from 'zod';
import { type Edit, edited, sourcesIn } from '../anchors/edit.ts';
import { plantedBugs } from './planted-bugs.ts';
import { refuted, traceText } from './refuted.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Seeds within which a planted bug must be found. */
const maxSeeds = 500;

/** A run that gives no answer for so long has found nothing: it may hang by the bug, or the machine is busy. */
const patienceMs = 600_000;

const sources = sourcesIn(repository, ['src']);
const work = mkdtempSync(join(tmpdir(), 'planted-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** Those in which nothing is played now: as many at most as trials run at once. */
const copies: string[] = [];

interface Trial {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Which seeds are played. Default: those of `npm run simulate`. */
  readonly plays?: string;
  /** Every schedule of a small world instead of seeds: the shortest that fails is in refuted.md. */
  readonly refutes?: (typeof refuted)[number];
  /** The same of a planted bug that no seed may find. */
  readonly world?: string | undefined;
}

const finding = z.object({
  seed: z.number().optional(),
  what: z.string().optional(),
  trace: z.array(z.string()).optional(),
});

type Finding = z.output<typeof finding>;

async function attempt({ edits, plays = 'everything', refutes, world }: Trial): Promise<Finding> {
  const folder = copies.pop() ?? newCopy();
  const changed = edited(sources, edits);
  try {
    for (const [file, text] of changed) writeFileSync(join(folder, file), text);
    if (refutes !== undefined)
      return await play(folder, ['every schedule', String(refutes.faults), refutes.world]);
    if (world !== undefined) return await play(folder, ['every schedule', '0', world]);
    return await play(folder, [String(maxSeeds), plays]);
  } finally {
    for (const file of changed.keys()) writeFileSync(join(folder, file), sources.get(file) ?? '');
    copies.push(folder);
  }
}

/** A copy of what is played. */
function newCopy(): string {
  const folder = mkdtempSync(join(work, 'copy-'));
  for (const part of ['src', 'denorm.config.ts', 'test/fixtures', 'test/simulation', 'package.json'])
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function play(folder: string, args: readonly string[]): Promise<Finding> {
  const script = join(folder, 'test/simulation/first-failure.ts');
  // What no bug changes is compiled once: a fifth of a trial was its start.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(work, 'compiled') };
  const options = { env, timeout: patienceMs, killSignal: 'SIGKILL' } as const;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], options);
    return finding.parse(JSON.parse(stdout));
  } catch (error) {
    const { killed, stderr } = error as { readonly killed?: boolean; readonly stderr?: string };
    if (killed === true) return { what: `gives no answer within ${patienceMs / 1000} s` };
    return { what: `does not run: ${stderr?.split('\n').find((line) => line.includes('Error')) ?? error}` };
  }
}

const writes = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((word) => word !== '--write');
const trials: readonly Trial[] = [
  { name: 'nothing planted', edits: [] },
  ...plantedBugs.map(({ in: plays = 'applications', ...bug }) => ({ ...bug, plays })),
  ...refuted.map((refutes) => ({
    name: `every schedule: ${refutes.bug}`,
    edits: plantedBugs.find(({ name }) => name === refutes.bug)?.edits ?? [],
    refutes,
  })),
].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

/** Whether a design's shortest schedule is in refuted.md; with `--write`, it is written there. */
function isShown({ design }: (typeof refuted)[number], trace: readonly string[], broken: string): boolean {
  const file = join(repository, 'test/simulation/refuted.md');
  const before = readFileSync(file, 'utf8');
  const begin = `${design}:\n`;
  const [head = '', rest] = before.split(begin);
  if (rest === undefined) return false;
  const after = head + traceText(design, trace, broken) + `\n${rest}`.slice(`\n${rest}`.indexOf('\n```'));
  if (writes) writeFileSync(file, after);
  return writes || after === before;
}

if (trials.length === 0) {
  console.log(
    `Expected the name of a planted bug, or a part of one, got ${wanted.join(', ')}\n0 passed, 1 failed`,
  );
  process.exit(1);
}
const limit = pLimit(availableParallelism());
let wrong = 0;
console.log('| planted | seeds | found by |\n|---|---|---|');
await Promise.all(
  trials.map((trial) =>
    limit(async () => {
      const { seed, what, trace = [] } = await attempt(trial);
      const isClean = trial.edits.length === 0;
      if (trial.refutes !== undefined && !isShown(trial.refutes, trace, what ?? '')) wrong += 1;
      // A run without an answer, or a replacement that names what is no longer there, shows nothing.
      const isBroken = what !== undefined && (seed === undefined || what.includes('ReferenceError'));
      if ((seed === undefined) !== isClean || isBroken) wrong += 1;
      const found = what ?? (isClean ? 'nothing, as it should be' : 'NOT FOUND');
      console.log(`| ${trial.name} | ${seed ?? '-'} | ${isBroken ? `SHOWS NOTHING: ${found}` : found} |`);
    }),
  ),
);
console.log('\nAs expected is: each planted bug found, and nothing found where nothing is planted');
console.log(`${trials.length - wrong} passed, ${wrong} failed`);
process.exitCode = wrong > 0 ? 1 : 0;
