import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { svgOf, tooWide } from '../../scripts/pictures/picture.ts';
import { pictures } from '../../scripts/pictures/pictures.ts';

const repository = new URL('../..', import.meta.url);
const drawn = Object.entries(pictures);

describe('the drawn pictures of the documents', () => {
  test.each(drawn)('%s.svg is what scripts/pictures/draw.ts draws', (name, picture) => {
    const written = readFileSync(new URL(`docs/images/${name}.svg`, repository), 'utf8');

    expect(svgOf(picture)).toBe(written);
  });

  test.each(drawn)('every line of %s fits into its box or its gap', (_, picture) => {
    expect(tooWide(picture)).toEqual([]);
  });

  test('are all that docs/images has, and each is on a page', () => {
    const files = globSync('docs/images/*.svg', { cwd: repository });
    const pages = globSync('{README.md,docs/*.md}', { cwd: repository })
      .map((page) => readFileSync(new URL(page, repository), 'utf8'))
      .join('\n');

    expect(files.toSorted()).toEqual(drawn.map(([name]) => `docs/images/${name}.svg`).toSorted());
    for (const [name] of drawn) expect(pages).toContain(`images/${name}.svg)`);
  });
});
