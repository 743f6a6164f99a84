import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { succeeds } from '../package/shell.ts';

/** Where CDK is installed: nowhere in the project's own packages, and where nothing looks for sources. */
const installed = new URL('../../.aws-sam/cdk/', import.meta.url);

/** Installs CDK as the lockfile of this folder says. */
export default async function setup(): Promise<void> {
  mkdirSync(installed, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(new URL(file, import.meta.url), new URL(file, installed));
  await succeeds('npm ci --prefer-offline --ignore-scripts', fileURLToPath(installed));
}
