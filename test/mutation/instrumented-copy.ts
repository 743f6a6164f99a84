import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import type { Mutant } from './mutant.ts';

/** What the tests and the simulator need of the repository. */
const parts = ['src', 'test', 'template.yaml', 'package.json'];

/** A copy of the repository that holds every mutant at once, each behind a switch. */
export interface InstrumentedCopy {
  readonly folder: string;
  readonly mutants: readonly Mutant[];
  remove(): void;
}

/** Copies the repository to a temporary folder and puts every mutant of these folders, or of some files there, into it. */
export async function instrumentedCopy(
  repository: string,
  folders: readonly string[],
  isWanted: (file: string) => boolean,
): Promise<InstrumentedCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const part of parts) cpSync(join(repository, part), join(folder, part), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    const mutants = await instrument(folder, filesIn(folder, folders).filter(isWanted));
    return { folder, mutants, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function filesIn(repository: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
}

async function instrument(folder: string, files: readonly string[]): Promise<Mutant[]> {
  const sources = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const instrumented = await new Instrumenter(silence).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { ignorers: [], excludedMutations: [], plugins: null },
  );
  for (const { name, content } of instrumented.files) writeFileSync(join(folder, name), content);
  return instrumented.mutants.map(({ id, fileName, mutatorName, location, replacement }) => ({
    id,
    file: fileName,
    operator: mutatorName,
    line: location.start.line + 1,
    original: textAt(sources.get(fileName) ?? '', location),
    replacement: replacement ?? '',
  }));
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The text between two positions, of which lines and columns count from 0. */
function textAt(
  source: string,
  { start, end }: { readonly start: Position; readonly end: Position },
): string {
  const lines = source.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join('\n');
}

const says = () => {};
const isEnabled = () => false;

/** The instrumenter tells of each file it reads. */
const silence = {
  trace: says,
  debug: says,
  info: says,
  warn: says,
  error: says,
  fatal: says,
  isTraceEnabled: isEnabled,
  isDebugEnabled: isEnabled,
  isInfoEnabled: isEnabled,
  isWarnEnabled: isEnabled,
  isErrorEnabled: isEnabled,
  isFatalEnabled: isEnabled,
};
