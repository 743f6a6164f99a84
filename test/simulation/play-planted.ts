/**
 * `npm run simulate:planted`: plants each bug into a copy of the source and plays seeds there until one fails: of the
 * applications, of the tournament for bugs of totals, or of the catalogue for bugs of created copies. Prints a
 * table of the seeds needed, and exits 1 where a bug is not found, or where the untouched source fails. With `--shrink`,
 * the table says as well how many steps are left of each failing run when it is shrunk. With `--write`, it is also
 * written to planted-bugs.md, next to this file. Any other word selects the bugs whose names contain it.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import * as z from 'zod';
import { type Edit, edited, sourcesIn } from '../anchors/edit.ts';
import { peers } from './peers.ts';
import { anchored, plantedBugs } from './planted-bugs.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Seeds within which a planted bug, and a way of others, must be found. */
const maxSeeds = 500;
const maxSeedsForPeers = 100;

/** A run of that many seeds that says nothing for so long hangs, which is a finding as well. In milliseconds. */
const patience = 300_000;

/** The untouched source plays all of them, which takes two minutes on a slow machine. */
const patienceWithNothing = 600_000;

/** Shrinking what was found takes up to half a minute of a core, and much longer on a busy machine. */
const patienceToShrink = 600_000;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { shrink: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const isShrinking = options.shrink || options.write;
const sources = sourcesIn(repository, anchored);

const work = mkdtempSync(join(tmpdir(), 'planted-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** Those in which nothing is played now: as many at most as trials run at once. */
const copies: string[] = [];

interface Trial {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly seeds: number;
  readonly peer: string | undefined;
  /** Which seeds are played; without it, those of `npm run simulate`. */
  readonly plays?: string;
}

const answer = z.object({
  seed: z.number().optional(),
  what: z.string().optional(),
  steps: z.number().optional(),
});

type Finding = z.output<typeof answer>;

async function attempt({ edits, seeds, peer, plays }: Trial): Promise<Finding> {
  const folder = copies.pop() ?? newCopy();
  const changed = edited(sources, edits);
  try {
    for (const [file, text] of changed) writeFileSync(join(folder, file), text);
    const isUntouched = edits.length === 0 && peer === undefined;
    return await play(folder, isUntouched ? patienceWithNothing : patience, [
      ...[String(seeds), ...(isShrinking ? ['--shrink'] : [])],
      ...(plays === undefined ? [] : [plays]),
      ...(peer === undefined ? [] : [peer]),
    ]);
  } finally {
    for (const file of changed.keys()) cpSync(join(repository, file), join(folder, file));
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

function play(folder: string, most: number, args: readonly string[]): Promise<Finding> {
  return new Promise((done) => {
    const script = join(folder, 'test/simulation/first-failure.ts');
    const child = spawn(process.execPath, [script, ...args], {
      // What no bug changes is compiled once: a fifth of a trial was its start.
      env: { ...process.env, NODE_COMPILE_CACHE: join(work, 'compiled') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const longest = (isShrinking ? patienceToShrink : most) * Math.max(1, Number(args[0]) / maxSeeds);
    const hangs = setTimeout(() => child.kill('SIGKILL'), longest);
    child.on('close', (code, signal) => {
      clearTimeout(hangs);
      if (signal !== null) done({ seed: 0, what: 'hangs' });
      else if (code !== 0) done({ what: `does not run: ${errors.trim().split('\n').at(-1)}` });
      else done(answer.parse(JSON.parse(output)));
    });
  });
}

if (options.write && wanted.length > 0) {
  console.error(`Expected --write to be used for all bugs, got '${wanted.join(' ')}' as well`);
  process.exit(2);
}
const trials: readonly Trial[] = [
  { name: 'nothing planted', edits: [], seeds: maxSeeds, peer: undefined },
  ...peers.map((peer) => ({ name: `as others do: ${peer}`, edits: [], seeds: maxSeedsForPeers, peer })),
  ...plantedBugs.map(
    ({ name, edits, in: played = 'applications' }): Trial => ({
      ...{ name, edits, seeds: maxSeeds, peer: undefined },
      plays: `--${played}`,
    }),
  ),
].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

const started = performance.now();
const limit = pLimit(availableParallelism());
let wrong = 0;
const columns = ['planted', 'seeds', ...(isShrinking ? ['steps'] : []), 'found by'];
const lines = [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---|').join('')}`];
const findings = await Promise.all(trials.map((trial) => limit(() => attempt(trial))));
for (const [index, { name, edits, peer }] of trials.entries()) {
  const { seed, what, steps = '-' } = findings[index] ?? {};
  const clean = edits.length === 0 && peer === undefined;
  // A replacement that names what is no longer there breaks every run, and shows nothing.
  const isBroken = what?.includes('ReferenceError') === true;
  if ((seed === undefined) !== clean || isBroken) wrong += 1;
  const seeds = seed === undefined ? '-' : seed === 0 ? '?' : seed;
  const found = isBroken
    ? `NOT PLANTED: ${what}`
    : (what ?? (clean ? 'nothing, as it should be' : 'NOT FOUND'));
  lines.push(`| ${[name, seeds, ...(isShrinking ? [steps] : []), found].join(' | ')} |`);
}
console.log(lines.join('\n'));
if (options.write)
  writeFileSync(
    new URL('planted-bugs.md', import.meta.url),
    `Written by \`npm run simulate:planted -- --write\`. \`seeds\` is the first seed that fails, \`steps\` what is left of its run\nwhen it is shrunk, \`found by\` the promise that it breaks.\n\n${lines.join('\n')}\n`,
  );
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `\nAs expected is: each planted bug and each peer found, and nothing found where nothing is planted. ${seconds} s`,
);
console.log(`${trials.length - wrong} passed, ${wrong} failed`);
process.exitCode = wrong > 0 ? 1 : 0;
