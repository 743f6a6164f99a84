import { RuleError } from './errors.ts';
import { isCopiable, locatingAttributes, namedOutputs, owns } from './owned.ts';
import type { Rule } from './rule.ts';
import type { TableNames } from './table-names.ts';

/** Refuses rules that must not run, alone or side by side. Each error names the rule and the remedy. */
export function checkRules(table: TableNames, rules: readonly Rule[]): void {
  const names = new Set<string>();
  for (const rule of rules) {
    if (names.has(rule.name)) throw refusal('rule.twice', rule, 'stands there twice: rename one');
    names.add(rule.name);
    checkOutputs(table, rule);
    checkShape(table, rule);
  }
  rules.forEach((rule, index) => {
    for (const other of rules.slice(index + 1)) checkOwnership(table, rule, other);
  });
  checkCycles(table, rules);
}

function checkOutputs(table: TableNames, rule: Rule): void {
  for (const attribute of namedOutputs(rule)) {
    if (attribute === table.pk || attribute === table.sk)
      throw refusal('rule.writes-key', rule, `writes '${attribute}', a key of the table: take it out`);
    if (attribute === table.ttl)
      throw refusal('rule.writes-expiry', rule, `writes '${attribute}', the expiry: take it out`);
    if (rule.own.includes(attribute))
      throw refusal(
        'rule.writes-own',
        rule,
        `writes '${attribute}', which belongs to the copy: take it out of own or of the projection`,
      );
    if (locatingAttributes(rule).includes(attribute))
      throw refusal(
        'rule.writes-location',
        rule,
        `writes '${attribute}', by which it finds its copies: locate them another way`,
      );
  }
}

function checkShape(table: TableNames, rule: Rule): void {
  const { located, copies, tenant } = rule;
  if (located.in === 'index' && !Object.values(table.indexes).some(({ name }) => name === located.index.name))
    throw refusal(
      'rule.no-index',
      rule,
      `locates copies by '${located.index.name}', which the table does not have: name one of ${Object.keys(table.indexes).join(', ')}`,
    );
  if (located.in === 'itself' && rule.root !== rule.copy)
    throw refusal(
      'rule.not-itself',
      rule,
      'is located at the root itself but has another kind as its copy: let copy be the root',
    );
  if (located.in === 'itself' && (copies === 'all' || copies.length > 0))
    throw refusal(
      'rule.copies-itself',
      rule,
      'copies attributes of an item onto itself: derive others instead',
    );
  if (copies !== 'all' && (rule.unknown === 'remove' || rule.own.length > 0))
    throw refusal(
      'rule.needs-all',
      rule,
      "says what is the copy's own, or that the unknown goes, but names what it copies: that is for copies: 'all'",
    );
  if (tenant !== undefined && !(hasId(rule.root, tenant) && hasId(rule.copy, tenant)))
    throw refusal(
      'rule.no-tenant',
      rule,
      `names '${tenant}' as its tenant, which is not in the keys of both root and copy: add it to their patterns`,
    );
}

function hasId(kind: Rule['root'], id: string): boolean {
  return [kind.pkPattern, kind.skPattern].some(({ pattern }) => pattern.includes(`{${id}}`));
}

function checkOwnership(table: TableNames, rule: Rule, other: Rule): void {
  if (rule.copy.name !== other.copy.name) return;
  const both =
    namedOutputs(rule).find((attribute) => owns(table, other, attribute)) ??
    namedOutputs(other).find((attribute) => owns(table, rule, attribute));
  if (both !== undefined || (rule.copies === 'all' && other.copies === 'all'))
    throw refusal(
      'rule.owned-twice',
      rule,
      `and rule ${other.name} both write ${both === undefined ? 'all attributes' : `'${both}'`} of ${rule.copy.name}: let one of them go, or name it among the own of the one that copies all`,
    );
}

/** An attribute of a kind; `*` stands for every attribute that a rule copies without naming it. */
type Node = string;

function node(kind: string, attribute: string): Node {
  return JSON.stringify([kind, attribute]);
}

function checkCycles(table: TableNames, rules: readonly Rule[]): void {
  const edges = new Map<Node, { to: Node; rule: Rule }[]>();
  function connect(from: Node, to: Node, rule: Rule): void {
    edges.set(from, [...(edges.get(from) ?? []), { to, rule }]);
  }
  for (const rule of rules)
    for (const [from, to] of dependencies(table, rule, rules)) connect(from, to, rule);
  const done = new Set<Node>();
  function visit(at: Node, path: readonly Node[]): void {
    if (done.has(at)) return;
    for (const { to, rule } of edges.get(at) ?? []) {
      if (to === at || path.includes(to))
        throw refusal(
          'rule.cyclic',
          rule,
          `makes an attribute of ${rule.copy.name} depend on itself: break the circle ${[...path, at, to].map(readable).join(' → ')}`,
        );
      visit(to, [...path, at]);
    }
    done.add(at);
  }
  for (const start of edges.keys()) visit(start, []);
}

/** Which attribute of which kind decides which other. */
function dependencies(table: TableNames, rule: Rule, rules: readonly Rule[]): [Node, Node][] {
  const outputs = namedOutputs(rule);
  const copied =
    rule.copies === 'all'
      ? attributesAnyRuleKnows(rule, rules).filter((name) => isCopiable(table, rule, name))
      : rule.copies;
  const same = copied.map((name): [Node, Node] => [node(rule.root.name, name), node(rule.copy.name, name)]);
  const readers = [
    ...rule.reads.root.map((name) => node(rule.root.name, name)),
    ...rule.reads.copy.map((name) => node(rule.copy.name, name)),
  ];
  return [
    ...same,
    ...readers.flatMap((from) => outputs.map((name): [Node, Node] => [from, node(rule.copy.name, name)])),
  ];
}

function attributesAnyRuleKnows(rule: Rule, rules: readonly Rule[]): string[] {
  const known = rules.flatMap((other) => [...namedOutputs(other), ...other.reads.root, ...other.reads.copy]);
  return [...new Set([...known, ...Object.keys(rule.root.attributes.shape), '*'])];
}

function readable(text: Node): string {
  const parts: unknown = JSON.parse(text);
  return Array.isArray(parts) ? parts.join('.') : text;
}

function refusal(code: string, rule: Rule, why: string): RuleError {
  return new RuleError(code, `Rule ${rule.name} ${why}`, { rule: rule.name });
}
