import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { messageOf } from '../../dev/errors.ts';
import { PageError } from './page-source.ts';

/** The files of the page, by path, with their types. */
export const pageFiles = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
} as const;

export type PageFile = (typeof pageFiles)[keyof typeof pageFiles]['file'];

const bundlerSchema = z.object({
  bundlePage: z.custom<() => Promise<Readonly<Record<PageFile, string>>>>(
    (value) => typeof value === 'function',
  ),
});

const client = (path: string) => fileURLToPath(new URL(`../client/${path}`, import.meta.url));

/**
 * Reads a file of the page. The published package holds them bundled beside this file; in the repository they are bundled
 * when they are first asked for.
 */
export function pageReader(): (file: PageFile) => Promise<string> {
  let bundled: Promise<Readonly<Record<PageFile, string>>> | undefined;
  if (!existsSync(client('main.ts'))) return (file) => readFile(client(file), 'utf8');
  return async (file) => {
    bundled ??= bundle();
    return (await bundled)[file];
  };
}

async function bundle(): Promise<Readonly<Record<PageFile, string>>> {
  try {
    // The package has no such file, so the compiler must not look for it.
    const script: unknown = await import(new URL('../../../../scripts/bundle-page.ts', import.meta.url).href);
    return await bundlerSchema.parse(script).bundlePage();
  } catch (error) {
    throw new PageError(
      'page.no-client',
      `Expected the page to be bundled, got: ${messageOf(error)}: run npm ci`,
      error,
    );
  }
}
