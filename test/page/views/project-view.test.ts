import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { layersOf, projectView } from '../../../src/page/views/project-view.ts';

test('each kind is there once, in a layer below those that lead to it', () => {
  const { kinds, rules } = projectView(application.registry(), { table: 'app', where: 'here' });
  const layers = new Map(kinds.map(({ name, layer }) => [name, layer]));

  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
  for (const { from, to } of rules)
    for (const kind of from)
      if (to !== undefined && to !== kind) expect(layers.get(to)).toBeGreaterThan(layers.get(kind) ?? 0);
  expect([layers.get('User'), layers.get('Membership')]).toEqual([0, 1]);
});

test('a chain of rules has a layer for each kind, and a circle ends', () => {
  const chain = layersOf([
    { from: ['B'], to: 'C' },
    { from: ['A'], to: 'B' },
    { from: ['A'], to: 'C' },
    { from: ['A'], to: 'A' },
    { from: ['C'], to: undefined },
  ]);
  expect(Object.fromEntries(chain)).toEqual({ A: 0, B: 1, C: 2 });

  const circle = layersOf([
    { from: ['A'], to: 'B' },
    { from: ['B'], to: 'A' },
  ]);
  expect([...circle.keys()].sort()).toEqual(['A', 'B']);
});

test('indexes whose partition key is one attribute can be queried', () => {
  const { indexes, ttl } = projectView(application.registry(), { table: 'app', where: 'here' });

  expect(indexes[0]).toEqual({ name: 'GSI1', keys: ['GSI1PK', 'GSI1SK'] });
  expect(ttl).toBe('ExpiresAt');
});
