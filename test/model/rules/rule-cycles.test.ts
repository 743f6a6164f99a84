import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AnyKind } from '../../../src/model/kinds/kind.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import type { Writer } from '../../../src/model/rules/rule-attributes.ts';
import { checkCycles } from '../../../src/model/rules/rule-cycles.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { bare, keyed, kind } from '../../fixtures/model/rules.ts';
import { contender, contenderTotals, match } from '../../fixtures/world/totals.ts';
import { refusal } from '../../suites/refusal.ts';

const attributes = z.object({ Name: z.string(), Label: z.string() });
const [zero, one, two, three] = [
  kind('Zero'),
  kind('One', attributes),
  kind('Two', attributes),
  kind('Three'),
];
const anything = () => 'x';
const derives = (name: string) => ({ derive: { [name]: anything } });
const reads = (root: string[], copy: string[] = []) => ({ reads: { root, copy } });

/** A rule from one kind to another. */
function link(name: string, root: AnyKind, copy: AnyKind, change: Partial<Rule>): Rule {
  return bare({ name, root, copy, ...change });
}

const name = { copies: ['Name'] };
const label = { copies: ['Label'] };
const chain = [link('a', one, two, name), link('b', two, three, name)];
const points = link('points-on-matches', contender, match, { ...reads(['Points']), ...derives('Votes') });

describe('a cycle is refused', () => {
  /** A rule there and one back. */
  const round = (there: Partial<Rule>, back: Partial<Rule>) => [
    link('a', one, two, there),
    link('b', two, one, back),
  ];
  const all = { copies: 'all' } as const;
  const labels = derives('Label');
  const namedByLabel = { ...reads(['Label']), ...derives('Name') };
  const labelledByName = { ...reads(['Name']), ...labels };
  const ownLabel = { ...reads([], ['Label']), ...labels };
  const itself: Partial<Rule> = { ...reads(['Label'], ['Label']), located: { in: 'itself' } };
  const ifLabelled: Partial<Rule> = { ...reads(['Label']), when: { root: () => true } };

  test.each<[string, readonly Writer[]]>([
    ['an attribute that is copied there and back', round(name, name)],
    ['one that decides another that decides it', round({ ...reads(['Name']), ...labels }, namedByLabel)],
    ['all attributes copied there and back', round(all, all)],
    ['one that no schema lists, copied among all and back by name', round(all, { copies: ['Unlisted'] })],
    ['an attribute of a copy that decides itself', [link('a', one, two, ownLabel)]],
    ['an item that derives what it reads', [link('a', one, one, { ...ownLabel, ...itself })]],
    ['three rules in a row', [...chain, link('c', three, one, name)]],
    ['one that when decides, of the root that reads it', round({ ...ifLabelled, ...name }, labelledByName)],
    ['a total that decides what it adds up', [points, contenderTotals]],
    ['a total that decides where members are', [{ ...points, ...derives('OwnerPart') }, contenderTotals]],
    [
      'a total that reads itself',
      [{ ...contenderTotals, reads: { ...contenderTotals.reads, target: ['Points'] } }],
    ],
  ])('%s', (_, writers) => {
    const error = refusal(() => checkCycles(writers.map((one) => bound(one))));

    expect(error).toMatchObject({ name: 'RuleError', code: 'rule.cyclic' });
    expect(error.message).toMatch(
      /^Rule [\w-]+ makes an attribute of \w+ depend on itself \(.+ → .+\): .*(remove|let)/,
    );
  });

  test('with the attributes and rules in it, without those that lead to it', () => {
    const rules = [
      link('lead', zero, one, name),
      link('a', one, two, { ...reads(['Name'], ['Name']), ...derives('Label') }),
      link('b', two, three, { copies: ['Label'] }),
      link('c', three, two, { ...reads(['Label']), ...derives('Name') }),
    ];

    expect(refusal(() => checkCycles(rules.map((one) => bound(one)))).message).toBe(
      'Rule a makes an attribute of Two depend on itself (Two.Label → Three.Label → Two.Name → Two.Label): let one of b, c, a stop reading or writing one of these',
    );
  });

  test('with what else a rule that reads what it writes may do', () => {
    const rule = link('a', one, two, { ...reads([], ['Label']), ...derives('Label') });

    expect(refusal(() => checkCycles([bound(rule)])).message).toBe(
      'Rule a makes an attribute of Two depend on itself (Two.Label → Two.Label): remove from reads what the rule writes, and if some copies are to keep their value, let rootOf return undefined for them',
    );
  });
});

test.each<[string, readonly Rule[]]>([
  ['a copy is also a root', [...chain, link('c', one, three, label)]],
  ['one is copied there and another back', [link('a', one, two, name), link('b', two, one, label)]],
])('a cycle does not exist if %s', (_, rules) => {
  expect(() => checkCycles(rules.map((one) => bound(one)))).not.toThrow();
});

describe('a cycle through items of two kinds', () => {
  const typed = (called: string, sk: string, type?: string) => {
    const { pkPattern, skPattern } = keyed('', 'NOTE#{id}', sk);
    return { ...kind(called, attributes), type, pkPattern, skPattern };
  };
  const pin = (type?: string) => typed('Pin', '{row}', type);
  const note = (type?: string) => typed('Note', 'PIN#{row}', type);
  const round = (copy: AnyKind, root: AnyKind) => [link('a', one, copy, label), link('b', root, one, label)];

  test.each<[string, readonly Rule[]]>([
    ['neither has a type', round(pin(), note())],
    ['one has a type', round(note('Note'), pin())],
    ['both have the same', round(note('Note'), pin('Note'))],
    ['one derives from the other', [link('a', pin(), note(), { ...reads(['Label']), ...derives('Label') })]],
  ])('is refused if %s', (_, rules) => {
    expect(refusal(() => checkCycles(rules.map((one) => bound(one)))).message).toMatch(
      /: an item may be of both (Pin and Note|Note and Pin), so give each/,
    );
  });

  test.each<[string, readonly Rule[]]>([
    ['they have different types', round(note('Note'), pin('Pin'))],
    ['no key fits both', round(pin(), { ...note(), pkPattern: keyed('', 'MEMO#{id}', '').pkPattern })],
    ['a copy may be its own root', [link('a', note(), pin(), label)]],
  ])('does not exist if %s', (_, rules) => {
    expect(() => checkCycles(rules.map((one) => bound(one)))).not.toThrow();
  });
});
