import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** The files of the page, by what is asked for, with their types. */
export const pageFiles = new Map([
  ['GET /', { name: 'index.html', type: 'text/html; charset=utf-8' }],
  ['GET /page.js', { name: 'page.js', type: 'text/javascript; charset=utf-8' }],
  ['GET /page.css', { name: 'page.css', type: 'text/css; charset=utf-8' }],
]);

type Files = Readonly<Record<string, string>>;

const bundlerSchema = z.object({
  bundlePage: z.custom<() => Promise<Files>>((value) => typeof value === 'function'),
});

const client = (path: string) => fileURLToPath(new URL(`../client/${path}`, import.meta.url));

/** The published package holds them bundled beside this file; in the repository they are bundled when first asked for. */
export function pageReader(): (name: string) => Promise<string> {
  if (!existsSync(client('main.ts'))) return (name) => readFile(client(name), 'utf8');
  let bundled: Promise<Files> | undefined;
  return async (name) => {
    bundled ??= bundle();
    return (await bundled)[name] ?? '';
  };
}

async function bundle(): Promise<Files> {
  // The package has no such file, so the compiler must not look for it.
  const script: unknown = await import(new URL('../../../../scripts/bundle-page.ts', import.meta.url).href);
  return await bundlerSchema.parse(script).bundlePage();
}
