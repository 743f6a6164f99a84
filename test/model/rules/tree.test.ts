import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkTenants } from '../../../src/check/check-rules.ts';
import { describe as described } from '../../../src/explain/description.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { checkCycles } from '../../../src/model/rules/rule-cycles.ts';
import { withAncestors } from '../../../src/model/rules/tree.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { bare, kind } from '../../fixtures/model/rules.ts';
import { table } from '../../fixtures/model/table.ts';
import { refusal } from '../../suites/refusal.ts';

const optional = z.string().optional();
const node = kind(
  'Node',
  z.object({ Path: optional, Parent: optional, Above: z.array(z.string()).optional(), Depth: z.int() }),
);

/** An item that says which one is above it, by the first of its two ids. */
const paths = bare({
  ...{ name: 'paths', root: node, copy: node, onUnlink: 'clear' },
  reads: { root: ['Path'], copy: ['Parent'] },
  rootOf: ({ Parent, ids }) => ({ pk: `Node#${Parent}`, sk: String(ids['row']) }),
  derive: { Path: ({ root }) => `${root['Path']}/${root.ids['id']}` },
});
const tree = withAncestors(paths, { Above: 'id' });

function keeping(list: z.ZodType, sk = '{row}') {
  const attributes = z.object({ Path: optional, Parent: optional, Above: list.optional() });
  const one = defineKind({ name: 'One', type: 'One', pk: 'One#{id}', sk, attributes });
  return { ...paths, root: one, copy: one };
}

describe('the rule of a tree', () => {
  test('may keep lists that are narrower than its ids seem', () => {
    for (const list of [z.array(z.uuid()), z.array(z.string().min(9)).max(3), z.any()])
      expect(() => withAncestors(keeping(list), { Above: 'id' })).not.toThrow();
    for (const list of [z.array(z.number().min(9)), z.array(z.union([z.number(), z.bigint()]))])
      expect(() => withAncestors(keeping(list, '{row:number}'), { Above: 'row' })).not.toThrow();
  });

  test('derives the ids of all items above, the topmost first', () => {
    const { Above = () => undefined } = tree.derive;
    const under = (above: object) =>
      Above({ root: { ids: { id: 'b' }, ...above }, copy: { ids: {} } } as never);

    expect(under({ Above: ['a'] })).toEqual(['a', 'b']);
    expect(under({})).toEqual(['b']);
  });

  test('may read of the item above what it writes, and nothing that it writes of the item itself', () => {
    expect(() => checkCycles([bound(tree)])).not.toThrow();
    expect(refusal(() => checkCycles([bound(paths)])).code).toBe('rule.cyclic');
    const itself = { ...tree, reads: { ...tree.reads, copy: ['Parent', 'Path'] } };
    expect(refusal(() => checkCycles([bound(itself)])).code).toBe('rule.cyclic');
    const back = bare({ name: 'back', root: node, copy: node, copies: ['Path'] });
    expect(refusal(() => checkCycles([bound(tree), bound(back)])).code).toBe('rule.cyclic');
  });

  test('is shown as its author wrote it', () => {
    expect(described(tree).fields).toMatchObject({
      ancestors: ['Above: id'],
      derive: ['Path: {Path}/{id}'],
      reads: ['root: Path', 'copy: Parent'],
    });
  });

  test('needs no tenant: an item and the one above it have different ids', () => {
    expect(checkTenants(makeRegistry(table, [tree], []))).toEqual([]);
  });
});

describe('the rule of a tree is refused', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['with an id that its keys lack', () => withAncestors(paths, { Above: 'up' }), /one of the ids id, row/],
    ['with two lists', () => withAncestors(paths, { Above: 'id', Path: 'row' }), /one attribute/],
    ['with none', () => withAncestors(paths, {}), /one attribute/],
    [
      'between two kinds',
      () => withAncestors({ ...paths, copy: kind('Leaf') }, { Above: 'id' }),
      /make root and copy the same kind/,
    ],
    [
      'if the item is its own copy',
      () => withAncestors({ ...paths, located: { in: 'itself' } }, { Above: 'id' }),
      /make root and copy the same kind/,
    ],
    [
      'if it creates copies',
      () => withAncestors({ ...paths, creates: true }, { Above: 'id' }),
      /without creates/,
    ],
    [
      'if it copies all',
      () => withAncestors({ ...paths, copies: 'all' }, { Above: 'id' }),
      /list what is copied/,
    ],
    [
      'if a topmost item would keep its list',
      () => withAncestors({ ...paths, onUnlink: 'keep' }, { Above: 'id' }),
      /set onUnlink to 'clear'/,
    ],
    ['if it derives the list too', () => withAncestors(paths, { Path: 'id' }), /derives 'Path' too/],
    ['if the list is required', () => withAncestors(paths, { Depth: 'id' }), /make it optional/],
    [
      'if it is to keep text',
      () => withAncestors(paths, { Parent: 'id' }),
      /make it an array of strings, as/,
    ],
    [
      'if it is to keep numbers, and the ids are text',
      () => withAncestors(keeping(z.array(z.number())), { Above: 'id' }),
      /make it an array of strings, as the id 'id' is/,
    ],
    [
      'if it is to keep text, and the ids are numbers',
      () => withAncestors(keeping(z.array(z.string()), '{row:number}'), { Above: 'row' }),
      /make it an array of numbers, as the id 'row' is/,
    ],
    ['if it is to be a set', () => withAncestors(keeping(z.set(z.string())), { Above: 'id' }), /an array of/],
  ])('%s', (_, define, words) => {
    const { code, message } = refusal(define);

    expect(code).toBe('rule.not-a-tree');
    expect(message).toMatch(words);
  });
});
