import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DenormError } from '../model/basics/errors.ts';
import type { FunctionName } from '../model/work/settings.ts';
import { bundling } from './resources/functions.ts';

/**
 * How esbuild bundles a function of the stack, as `sam build` has it do.
 * @param handlers the folder of the entry points
 * @throws DenormError `template.no-handler`
 */
export function bundleOptions(name: FunctionName, handlers: string) {
  const { entry, banner, ...settings } = bundling(name);
  const file = join(handlers, entry);
  if (!existsSync(file))
    throw new DenormError(
      'template.no-handler',
      `Expected the handler of a function in ${file}, found no such file: add it, as \`npx stream-denormalizer init\` writes it, or name the folder of the handlers`,
    );
  return {
    ...settings,
    entryPoints: [file],
    outfile: entry.replace(/\.ts$/, '.mjs'),
    bundle: true,
    platform: 'node' as const,
    logLevel: 'error' as const,
    banner: { js: banner },
  };
}
