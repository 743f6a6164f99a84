import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { succeeds } from '../package/shell.ts';

/** Where the libraries are installed: below the project, whose SDK they find, but nowhere in its own packages. */
const installed = new URL('../../.aws-sam/libraries/', import.meta.url);

/** Installs the libraries as the lockfile in `manifest` says: beside the configs, it would make them a package of their own. */
export default async function setup(): Promise<void> {
  mkdirSync(installed, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(new URL(`manifest/${file}`, import.meta.url), new URL(file, installed));
  await succeeds('npm ci --prefer-offline --ignore-scripts --legacy-peer-deps', fileURLToPath(installed));
  // An application has one SDK: with two, types of the same name differ. The manifest installs something small in its place.
  rmSync(new URL('node_modules/@aws-sdk', installed), { recursive: true, force: true });
}
