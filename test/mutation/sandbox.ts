import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { definitionAt } from '../anchors/definitions.ts';
import { type Sources, sourcesIn } from '../anchors/edit.ts';
import type { Mutant } from './mutant.ts';

/** What the tests and the simulator need of the repository. */
const parts = ['src', 'test', 'template.yaml', 'package.json', 'denorm.config.ts'];

/** A copy of the repository that holds every mutant at once, each of which can be activated. */
export interface Sandbox {
  readonly folder: string;
  readonly mutants: readonly Mutant[];
  remove(): void;
}

/** Copies the repository to a temporary folder and puts every mutant of these folders, or of some files there, into it. */
export async function createSandbox(
  repository: string,
  folders: readonly string[],
  isWanted: (file: string) => boolean,
): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const part of parts) cpSync(join(repository, part), join(folder, part), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    const sources = [...sourcesIn(folder, folders)].filter(([file]) => isWanted(file));
    const mutants = await instrument(folder, new Map(sources));
    return { folder, mutants, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function instrument(folder: string, sources: Sources): Promise<Mutant[]> {
  const instrumented = await new Instrumenter(silence).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { ignorers: [], excludedMutations: [], plugins: null },
  );
  for (const { name, content } of instrumented.files) writeFileSync(join(folder, name), content);
  return instrumented.mutants.map(({ id, fileName, mutatorName, location, replacement }) => {
    const source = sources.get(fileName) ?? '';
    const start = offsetOf(source, location.start);
    return {
      id,
      file: fileName,
      within: definitionAt(source, start) ?? basename(fileName),
      operator: mutatorName,
      line: location.start.line + 1,
      original: source.slice(start, offsetOf(source, location.end)),
      replacement: replacement ?? '',
    };
  });
}

/** Where a position is in the source. Its line and its column count from 0. */
function offsetOf(
  source: string,
  { line, column }: { readonly line: number; readonly column: number },
): number {
  const before = source.split('\n').slice(0, line);
  return before.reduce((sum, text) => sum + text.length + 1, column);
}

const ignore = () => {};
const off = () => false;

/** The instrumenter tells of each file it reads. */
const silence = {
  ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
  ...{ isTraceEnabled: off, isDebugEnabled: off, isInfoEnabled: off },
  ...{ isWarnEnabled: off, isErrorEnabled: off, isFatalEnabled: off },
};
