import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { succeeds } from '../package/shell.ts';

/** Where CDK is installed: nowhere in the project's own packages, and where nothing looks for sources. */
const installed = new URL('../../.aws-sam/cdk/', import.meta.url);

/** Installs CDK as the manifest of this folder says: all that is not bundled has its exact version there. */
export default async function setup(): Promise<void> {
  mkdirSync(installed, { recursive: true });
  copyFileSync(new URL('package.json', import.meta.url), new URL('package.json', installed));
  const install = 'npm install --no-package-lock --prefer-offline --ignore-scripts';
  await succeeds(install, fileURLToPath(installed));
}
