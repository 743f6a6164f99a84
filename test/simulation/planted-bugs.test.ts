import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { definitionsIn } from '../anchors/definitions.ts';
import { edited, sourcesIn } from '../anchors/edit.ts';
import { plantedBugs } from './planted-bugs.ts';

const sources = sourcesIn(fileURLToPath(new URL('../..', import.meta.url)), ['src']);

describe('the planted bugs', () => {
  test('are as many as docs/proofs.md says', () => {
    const proofs = readFileSync(new URL('../../docs/proofs.md', import.meta.url), 'utf8');

    expect(proofs).toContain(`of ${plantedBugs.length} bugs must be found`);
  });

  test('have unique names', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  });

  test.each(plantedBugs)('$name: its text occurs once, and the result is valid source', ({ edits }) => {
    for (const [file, text] of edited(sources, edits)) {
      expect(text).not.toBe(sources.get(file));
      expect(definitionsIn(text)).not.toEqual([]);
    }
  });
});
