import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { startMiniStack } from '../deployed/ministack.ts';
import type { Cloud } from '../deployed/stack.ts';
import { outside, succeeds } from './shell.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** What `npm pack` makes of this repository. */
    readonly tarball: string;
    /** The same code as the next version. */
    readonly nextTarball: string;
    /** A folder in which nothing but the package is installed. */
    readonly empty: string;
    /** The project of `blog/`, made by `init`, with the package installed, under version control. */
    readonly blog: string;
    /** MiniStack, which enforces IAM. */
    readonly emulator: Cloud;
  }
}

const repository = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('blog', import.meta.url));

/** Packs this repository, and makes the projects that the tests work in, outside of it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { folder, remove } = outside();
  try {
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    await succeeds(`npm pack --pack-destination '${packed}'`, repository);
    const [name = ''] = readdirSync(packed);
    const tarball = join(packed, name);
    provide('tarball', tarball);
    provide('nextTarball', await bumped(tarball));

    const empty = join(folder, 'empty');
    mkdirSync(empty);
    writeFileSync(join(empty, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
    await succeeds(`npm i --prefer-offline '${tarball}'`, empty);
    provide('empty', empty);

    const blog = join(folder, 'blog');
    const names = '--table blog --pk pk --sk sk --ttl expires_at --type _type';
    await succeeds(`npx stream-denormalizer init '${blog}' ${names}`, empty);
    for (const part of ['src', 'test']) rmSync(join(blog, part), { recursive: true });
    cpSync(sources, blog, { recursive: true });
    // The second is what an application of this project has.
    const packages = `'${tarball}' @aws-sdk/lib-dynamodb@3`;
    await succeeds(`npm i --prefer-offline ${packages} && npx denorm template`, blog);
    await succeeds('git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm a', blog);
    provide('blog', blog);

    const { endpoint, certificate, stop } = await startMiniStack();
    provide('emulator', { endpoint, certificate });
    return async () => {
      await stop();
      remove();
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The package as its next version: nothing but the version differs. */
async function bumped(tarball: string): Promise<string> {
  const folder = `${tarball}.next`;
  mkdirSync(folder);
  await succeeds(`tar -xzf '${tarball}' -C '${folder}'`, folder);
  const manifest = join(folder, 'package/package.json');
  const { version, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
  const [major, minor, patch] = version.split('.').map(Number);
  const next = { ...rest, version: `${major}.${minor}.${patch + 1}` };
  writeFileSync(manifest, JSON.stringify(next, null, 2));
  await succeeds(`npm pack --ignore-scripts --pack-destination '${folder}'`, join(folder, 'package'));
  return join(folder, `${next.name}-${next.version}.tgz`);
}
