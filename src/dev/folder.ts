import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { DenormError, FatalError, TransientError } from '../model/basics/errors.ts';

/** The end of the name of a file that is being written. */
const unfinished = '.tmp';

/**
 * Small files below one folder, by names with slashes. A reader sees a file whole or not at all, even if the writer is killed, and
 * several processes may use the folder at once.
 *
 * All methods throw `TransientError` `folder.unavailable` if a later attempt may succeed, `FatalError` `folder.unusable` otherwise.
 */
export class Folder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  read(name: string): Promise<Buffer | undefined> {
    return unlessMissing(this.#guarded(`read ${name} in`, () => readFile(join(this.path, name))));
  }

  /** The beginning of a file up to its first line feed, or all of it, and its whole size. */
  readLine(name: string): Promise<{ readonly line: string; readonly size: number } | undefined> {
    return unlessMissing(this.#guarded(`read ${name} in`, () => firstLine(join(this.path, name))));
  }

  write(name: string, body: string | Uint8Array): Promise<void> {
    return this.#guarded(`write ${name} in`, () => this.#written(name, body, rename));
  }

  /** @returns false if there is such a file already, or its folder was removed meanwhile */
  async add(name: string, body: string | Uint8Array): Promise<boolean> {
    let isAdded = true;
    await this.#guarded(`write ${name} in`, () =>
      this.#written(name, body, (from, to) =>
        link(from, to).catch((error: unknown) => {
          if (!['EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
          isAdded = false;
        }),
      ),
    );
    return isAdded;
  }

  /** Removes a file. It may be gone already. */
  remove(name: string): Promise<void> {
    return this.#guarded(`remove ${name} from`, () => rm(join(this.path, name), { force: true }));
  }

  async removeEmpty(name: string): Promise<void> {
    await rmdir(join(this.path, name)).catch(() => {});
  }

  /** Of all files below a folder of this one, in their order. */
  async names(below = ''): Promise<string[]> {
    const path = join(this.path, below);
    const entries = await unlessMissing(
      this.#guarded('list', () => readdir(path, { recursive: true, withFileTypes: true })),
    );
    return (entries ?? [])
      .filter((entry) => entry.isFile() && !entry.name.endsWith(unfinished))
      .map(({ parentPath, name }) => relative(this.path, join(parentPath, name)).replaceAll(sep, '/'))
      .sort();
  }

  /** The names of what is in a folder of this one, in no order; of nothing if it is missing. */
  async entries(name: string): Promise<{ readonly files: string[]; readonly folders: string[] }> {
    const path = join(this.path, name);
    const all =
      (await unlessMissing(this.#guarded('list', () => readdir(path, { withFileTypes: true })))) ?? [];
    const namesOf = (some: typeof all) => some.map((entry) => entry.name);
    return {
      files: namesOf(all.filter((entry) => entry.isFile())),
      folders: namesOf(all.filter((entry) => entry.isDirectory())),
    };
  }

  async #written(
    name: string,
    body: string | Uint8Array,
    place: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const path = join(this.path, name);
    const temporary = join(dirname(path), `${randomUUID()}${unfinished}`);
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(temporary, body, { flush: true });
      await place(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #guarded<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw fromFolder(error, `${what} '${this.path}'`);
    }
  }
}

/** Of what is read at once. Metadata is shorter, as keys are. */
const chunkBytes = 4_096;

async function firstLine(path: string): Promise<{ readonly line: string; readonly size: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const chunks: Buffer[] = [];
    for (let position = 0; position < size; position += chunkBytes) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, size - position));
      await file.read(chunk, 0, chunk.length, position);
      const end = chunk.indexOf('\n');
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end >= 0) break;
    }
    return { line: Buffer.concat(chunks).toString(), size };
  } finally {
    await file.close();
  }
}

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && codeOf(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Errors that a later attempt may not meet. All others need a person, or another folder. */
const passing = ['EAGAIN', 'EBUSY', 'EIO', 'EINTR', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ETIMEDOUT'];

/** The end of the error's sentence. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of that path is a file',
  EEXIST: 'a file is there',
  EISDIR: 'a folder is there',
  ENOSPC: 'no space is left',
  EMFILE: 'too many files are open',
};

/**
 * Converts an error of the file system.
 * @param what the end of "Cannot …": `write below '.denorm'`
 */
export function fromFolder(error: unknown, what: string): DenormError {
  if (error instanceof DenormError) return error;
  const code = codeOf(error) ?? 'no error code';
  const message = `Cannot ${what}: ${reasons[code] ?? 'the file system refuses'} (${code})`;
  return passing.includes(code)
    ? new TransientError('folder.unavailable', message, { cause: error })
    : new FatalError('folder.unusable', message, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
