/** `npm run build`: the published package's `dist`, compiled from `src`. `npm pack` runs it first. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage } from './bundle-page.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
const tsc = join(dirname(compiler), JSON.parse(readFileSync(compiler, 'utf8')).bin.tsc);

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
// The page, bundled, where its server looks for it.
const client = join(dist, 'page', 'client');
mkdirSync(client, { recursive: true });
for (const [file, content] of Object.entries(await bundlePage())) writeFileSync(join(client, file), content);
