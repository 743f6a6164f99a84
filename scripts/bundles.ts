import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import config from '../denorm.config.ts';
import { usageOf } from '../src/deploy/needs/usage.ts';
import { bundleOptions, functionsOf } from '../src/deploy/resources/functions.ts';
import { projectFolder } from './python-tools.ts';

const ownCode = 'this project';

/** What a function is deployed as. */
export interface Bundle {
  /** The function's logical id. */
  readonly id: string;
  /** Of the file that `sam build` made, without its source map. */
  readonly bytes: number;
  readonly gzipped: number;
  /** What it is made of: packages, and {@link ownCode}, the largest first, with their minified bytes. */
  readonly parts: readonly (readonly [name: string, bytes: number])[];
  /** The files of this project in it. */
  readonly sources: readonly string[];
}

/** The settings with which `sam build` bundles each function of the stack, by its logical id. */
export function bundleSettings() {
  return functionsOf(usageOf(config.registry())).map((id) => ({
    id,
    options: bundleOptions(id, join(projectFolder, 'handlers')),
  }));
}

/** The bundles that `sam build` has left in `.aws-sam/build`, taken apart by a build with the same settings. */
export async function bundles(): Promise<Bundle[]> {
  return Promise.all(
    bundleSettings().map(async ({ id, options }) => {
      const file = join(projectFolder, '.aws-sam/build', id, options.outfile);
      const { metafile } = await build({ ...options, write: false, metafile: true });
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
      return {
        id,
        bytes: statSync(file).size,
        gzipped: gzipSync(readFileSync(file)).length,
        parts: partsOf(inputs.map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
        sources: inputs.flatMap(([path, { bytesInOutput }]) =>
          bytesInOutput > 0 && packageOf(path) === ownCode ? [path] : [],
        ),
      };
    }),
  );
}

function partsOf(inputs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [path, bytes] of inputs) {
    const name = packageOf(path);
    sums.set(name, (sums.get(name) ?? 0) + bytes);
  }
  return [...sums].filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a);
}

/** The package of a file of a bundle; {@link ownCode} for the project's own. */
export function packageOf(path: string): string {
  const [, inside] = path.split(/.*node_modules\//);
  if (inside === undefined) return ownCode;
  const [first = '', second = ''] = inside.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
