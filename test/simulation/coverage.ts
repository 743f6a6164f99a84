import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** Of a file, what was not run: ranges of its text, in order. Types are stripped in place, so they are those of the source. */
export type Ranges = readonly (readonly [start: number, end: number])[];

/** By file, as a URL. */
export type NotRun = Readonly<Record<string, Ranges>>;

/** For each character of a file, whether it was run; undefined if it is in no function. */
type Marks = (boolean | undefined)[];

/** Begins to note which branches run in this thread. @returns a function that gives what has not run since */
export async function noteCoverage(folder: string): Promise<() => Promise<NotRun>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const marks = new Map<string, Marks>();
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      if (!url.startsWith(folder)) continue;
      const known = marks.get(url) ?? [];
      marks.set(url, known);
      for (const [at, isRun] of marked(functions).entries())
        if (known[at] !== true) known[at] = isRun ?? known[at];
    }
    return Object.fromEntries([...marks].map(([url, known]) => [url, rangesOf(known)]));
  };
}

interface Counted {
  readonly functionName: string;
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}

/** Reported are functions that were called since the last time, with those in them. What runs when a file is loaded does not count. */
function marked(functions: readonly Counted[]): Marks {
  const ranges = functions
    .filter(({ functionName, ranges }) => functionName !== '' || ranges[0]?.startOffset !== 0)
    .flatMap((one) => one.ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  // Inner ranges come after those that hold them.
  const marks: Marks = Array.from({ length: Math.max(0, ...ranges.map(({ endOffset }) => endOffset)) });
  for (const { startOffset, endOffset, count } of ranges) marks.fill(count > 0, startOffset, endOffset);
  return marks;
}

/** Of what has not run. */
function rangesOf(marks: Marks): Ranges {
  const ranges: [number, number][] = [];
  for (const [at, isRun] of marks.entries()) {
    const last = ranges.at(-1);
    if (isRun !== false) continue;
    if (last?.[1] === at) last[1] = at + 1;
    else ranges.push([at, at + 1]);
  }
  return ranges;
}

/** What was run in neither. A file that only one of them has loaded is as there. */
export function neither(one: NotRun, other: NotRun): NotRun {
  const both = { ...one, ...other };
  for (const [file, ranges] of Object.entries(one))
    both[file] = ranges.flatMap(([start, end]) =>
      (other[file] ?? [[start, end] as const])
        .map(([from, to]) => [Math.max(start, from), Math.min(end, to)] as const)
        .filter(([from, to]) => from < to),
    );
  return both;
}

/** `src/a.ts:12: if (…) return;`, once for each line in which something was not run. */
export function linesOf(notRun: NotRun, repository: URL): string[] {
  const lines = Object.entries(notRun).flatMap(([file, ranges]) => {
    const text = readFileSync(fileURLToPath(file), 'utf8');
    return ranges.flatMap(([start, end]) => {
      const code = /[^\s{}()[\];,]/.exec(text.slice(start, end));
      if (code === null) return [];
      const before = text.slice(0, start + code.index).split('\n').length;
      return `${file.slice(repository.href.length)}:${before}: ${text.split('\n')[before - 1]?.trim()}`;
    });
  });
  return [...new Set(lines)];
}
