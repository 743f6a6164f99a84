import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';
import { bundleSettings, packageOf } from '../../scripts/bundles.ts';

const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** Names for the table. What is not listed here is a package. */
const compiling = 'compiling the bundle';
const collecting = 'collecting garbage';
const builtins = 'modules of Node itself';

/**
 * Of what the import of Propagate is made, by V8's profiler: names with their shares of the time, the largest first. The
 * bundle is not minified for this, so that each function can be told its package by its line.
 */
export async function importParts(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly (readonly [part: string, share: number])[]> {
  const settings = bundleSettings().find(({ id }) => id === 'Propagate');
  const outfile = join(folder, 'readable.mjs');
  await build({ ...settings?.options, minify: false, outfile });
  const importing = `await import(${JSON.stringify(outfile)}); process.exit()`;
  const profiling = ['--cpu-prof', '--cpu-prof-interval', '100', '--cpu-prof-dir', folder];
  execFileSync(process.execPath, [...profiling, '--input-type=module', '--eval', importing], { env });
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile')) ?? '';
  const profile = profileSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  return sharesOf(profile, ownersOf(readFileSync(outfile, 'utf8')));
}

/** The package of each line of a bundle. esbuild names a file in a comment before its code. */
function ownersOf(bundle: string): string[] {
  let owner = builtins;
  return bundle.split('\n').map((line) => {
    const [, path] = /^\s*\/\/ (\S+\.[cm]?[jt]s)$/.exec(line) ?? [];
    if (path !== undefined) owner = groupOf(packageOf(path));
    return owner;
  });
}

function groupOf(name: string): string {
  if (/^@(aws-sdk|aws|smithy)\//.test(name)) return 'the AWS SDK';
  return name.startsWith('@aws-lambda-powertools/') ? 'Powertools' : name;
}

function sharesOf(
  { nodes, samples, timeDeltas }: z.output<typeof profileSchema>,
  owners: readonly string[],
): (readonly [string, number])[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  /** The nearest code of the bundle that led here; undefined while Node itself starts. */
  function partOf(id: number): string | undefined {
    const name = byId.get(id)?.callFrame.functionName;
    if (name === 'compileSourceTextModule') return compiling;
    if (name === '(garbage collector)') return collecting;
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { url = '', lineNumber = 0, functionName = '' } = byId.get(at)?.callFrame ?? {};
      if (functionName === 'compileForInternalLoader') return builtins;
      // Line 0 is the body of the module as a whole: its own statements.
      if (url.endsWith('/readable.mjs')) return lineNumber > 0 ? owners[lineNumber] : 'statements of modules';
    }
    return undefined;
  }
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOf(id);
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times].map(([part, time]) => [part, time / all] as const).sort(([, a], [, b]) => b - a);
}
