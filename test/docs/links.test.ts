import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(resolve(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('links between pages', () => {
  test.each(pages)('%s links to files and headings that exist', (page) => {
    const broken = linksOf(page).filter(({ file, anchor }) => {
      if (!existsSync(resolve(repository, file))) return true;
      return anchor !== undefined && !anchorsOf(file).has(anchor);
    });

    expect(broken.map(({ link }) => link)).toEqual([]);
  });

  test.each(pages)('%s links only to files that the package contains', (page) => {
    const { files } = z
      .object({ files: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(resolve(repository, 'package.json'), 'utf8')));
    // npm packs these whatever `files` says. The images of pages stay in the repository: a page reads as well without them.
    const packed = [...files, 'README.md', 'LICENSE', 'package.json'];

    expect(
      linksOf(page)
        .filter(
          ({ file }) => !isImage(file) && !packed.some((one) => file === one || file.startsWith(`${one}/`)),
        )
        .map(({ link }) => link),
    ).toEqual([]);
  });

  test('are found by this test', () => {
    const links = pages.flatMap(linksOf);

    expect(links.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(20);
    expect(links.length).toBeGreaterThan(60);
    expect(anchorsOf('docs/rules.md')).toContain('name-1');
  });
});

function isImage(file: string): boolean {
  return /^docs\/images\/[\w-]+\.(png|svg)$/.test(file);
}

function linksOf(page: string): { link: string; file: string; anchor: string | undefined }[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : relative(repository, resolve(repository, dirname(page), path));
      return { link, file, anchor };
    });
}

/** The anchors that GitHub gives the headings of a page: a repeated heading gets `-1`, `-2` and so on. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...textOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/** A page without its code blocks, whose lines may begin with a number sign. */
function textOf(page: string): string {
  return readFileSync(resolve(repository, page), 'utf8').replace(/^( *)```[\s\S]*?^\1```/gm, '');
}
