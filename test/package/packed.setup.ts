import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { outside, succeeds } from './shell.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** What `npm pack` makes of this repository. */
    readonly tarball: string;
    /** The same code as the next version. */
    readonly nextTarball: string;
  }
}

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Packs this repository, once for all files. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const { folder, remove } = outside();
  try {
    await succeeds(`npm pack --pack-destination '${folder}'`, repository);
    const [name = ''] = readdirSync(folder);
    const tarball = join(folder, name);
    provide('tarball', tarball);
    await succeeds(`mkdir next && tar -xzf '${tarball}' -C next`, folder);
    const manifest = join(folder, 'next/package/package.json');
    const { version, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
    const [major, minor] = version.split('.').map(Number);
    const next = `${major}.${minor + 1}.0`;
    writeFileSync(manifest, JSON.stringify({ ...rest, version: next }, null, 2));
    await succeeds(`npm pack --ignore-scripts --pack-destination ..`, join(folder, 'next/package'));
    provide('nextTarball', join(folder, 'next', name.replace(version, next)));
    return remove;
  } catch (error) {
    remove();
    throw error;
  }
}
