/** Bundles the page of `denorm dev`: `npm run build` writes it into the package, and a checkout serves it as it is made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const client = join(root, 'src', 'page', 'client');

/** Their licenses ask for their notices in every copy. */
const bundled = ['preact', 'htm'];

export async function bundlePage() {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(client, 'main.ts'), out: 'page' },
      { in: join(client, 'page.css'), out: 'page' },
    ],
    outdir: client,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    banner: { js: `/*\n${bundled.map(notice).join('\n\n')}\n*/` },
    write: false,
  });
  const text = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return {
    'index.html': readFileSync(join(client, 'index.html'), 'utf8'),
    'page.js': text('.js'),
    'page.css': text('.css'),
  };
}

function notice(name: string): string {
  const license = readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8');
  return `${name}\n${license.trim()}`.replaceAll('*/', '* /');
}
