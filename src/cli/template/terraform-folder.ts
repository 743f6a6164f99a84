import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configStack } from '../../deploy/stack-template.ts';
import { terraformModule } from '../../deploy/terraform/module.ts';
import type { RuleSettings } from '../../model/config.ts';
import { DenormError } from '../../model/errors.ts';
import type { Project } from '../project.ts';
import { version } from '../version.ts';

type Parameters = RuleSettings['parameters'];

export const moduleOf = ({ config }: Project, parameters: Parameters) =>
  terraformModule(config, parameters, version);

/** Writes the module and the code of its functions. @throws DenormError `sdk.missing` without esbuild, which is a peer */
export async function writeModule(from: Project, parameters: Parameters, folder: string): Promise<void> {
  const { zippedFunctions } = await import('../../deploy/terraform/zipped-functions.ts').catch((cause) => {
    const message = 'Expected package esbuild, found none: run `npm i -D esbuild`';
    throw new DenormError('sdk.missing', message, { cause });
  });
  const code = zippedFunctions(configStack(from.config, parameters), join(from.folder, 'handlers'));
  const file = join(folder, 'main.tf.json');
  await mkdir(folder, { recursive: true });
  for (const [name, zip] of code) await writeFile(join(folder, name), zip);
  await writeFile(file, `${JSON.stringify(moduleOf(from, parameters), null, 2)}\n`);
  console.log(`${file} written, with ${[...code.keys()].join(', ')}`);
}
