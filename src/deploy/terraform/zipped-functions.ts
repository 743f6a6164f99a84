import { buildSync } from 'esbuild';
import { bundleOptions } from '../bundle-options.ts';
import { functionNames } from '../functions.ts';
import type { StackModel } from '../stack-model.ts';
import { zipOf } from './zip.ts';

/** The code of each function as Lambda takes it, by the name of its file. @throws DenormError as {@link bundleOptions} does */
export function zippedFunctions({ Resources }: StackModel, handlers: string): ReadonlyMap<string, Buffer> {
  const functions = functionNames.filter((name) => name in Resources);
  return new Map(
    functions.map((name) => {
      const { outfile, ...options } = bundleOptions(name, handlers);
      const [bundle] = buildSync({ ...options, write: false }).outputFiles;
      return [outfile.replace('.mjs', '.zip'), zipOf(outfile, bundle?.contents ?? new Uint8Array())];
    }),
  );
}
