import { type Aggregate, computedAttributes, memberIndexes } from './aggregate.ts';
import { RuleError } from './errors.ts';
import { type AnyKind, kindsOverlap } from './kind.ts';
import type { Rule } from './rule.ts';
import { isCopiable, namedOutputs } from './rule-attributes.ts';
import type { TableNames } from './table-names.ts';

/** An attribute of a kind; `*` means every attribute that a rule copies without naming it. */
type Node = string;

function node(kind: string, attribute: string): Node {
  return JSON.stringify([kind, attribute]);
}

/** An attribute, and the rule that writes it because of the one before: none if it is the first. */
interface Step {
  readonly to: Node;
  readonly by?: Rule | Aggregate;
  /** The kind that the rule writes, if it is another: an item may be of both. */
  readonly writes?: string;
}

/**
 * Refuses rules and aggregates of which one writes, directly or through others, an attribute that it depends on. What is
 * written to items of a kind is also written to those of every kind that an item may be of at the same time.
 * @throws RuleError `rule.cyclic`
 */
export function checkCycles(
  table: TableNames,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): void {
  const edges = new Map<Node, Step[]>();
  const others = overlapping(rules, aggregates);
  function connect([from, to]: readonly [Node, Node], by: Rule | Aggregate): void {
    const [kind = '', attribute = ''] = partsOf(to);
    const more = (others.get(kind) ?? []).map((other) => ({ to: node(other, attribute), by, writes: kind }));
    // An item that is a copy of itself already has what is copied.
    const isSame = partsOf(from)[1] === attribute && 'derive' in by && !Object.hasOwn(by.derive, attribute);
    const steps = [{ to, by }, ...more.filter((step) => !(isSame && step.to === from))];
    edges.set(from, [...(edges.get(from) ?? []), ...steps]);
  }
  for (const rule of rules)
    for (const pair of dependencies(table, rule, rules, aggregates)) connect(pair, rule);
  for (const aggregate of aggregates)
    for (const pair of dependenciesOfAggregate(aggregate)) connect(pair, aggregate);
  const done = new Set<Node>();
  function visit(at: Node, path: readonly Step[]): void {
    if (done.has(at)) return;
    for (const step of edges.get(at) ?? []) {
      const first = path.findIndex(({ to }) => to === step.to);
      if (first >= 0) throw cyclic([...path.slice(first + 1), step], step);
      visit(step.to, [...path, step]);
    }
    done.add(at);
  }
  for (const start of edges.keys()) visit(start, [{ to: start }]);
}

/** The names of the other kinds that an item of a kind may be of, by the kind's name. */
function overlapping(
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): ReadonlyMap<string, readonly string[]> {
  const all = [
    ...rules.flatMap(({ root, copy }) => [root, copy]),
    ...aggregates.flatMap(({ of, on }) => [of, on]),
  ];
  const kinds = new Map<string, AnyKind>(all.map((kind) => [kind.name, kind]));
  const namesOf = (kind: AnyKind) =>
    [...kinds.values()]
      .filter((other) => other.name !== kind.name && kindsOverlap(kind, other))
      .map(({ name }) => name);
  return new Map([...kinds].map(([name, kind]) => [name, namesOf(kind)]));
}

/** @param steps each attribute of the cycle once; the last one comes before the first */
function cyclic(steps: readonly Step[], { to, by }: Step): RuleError {
  const cycle = [to, ...steps.map((step) => step.to)].map((node) => partsOf(node).join('.')).join(' → ');
  const names = [...new Set(steps.map((step) => step.by?.name))];
  const shared = steps.find(({ writes }) => writes !== undefined);
  const alone =
    names.length === 1
      ? remedyWithin(by)
      : `let one of ${names.join(', ')} stop reading or writing one of these`;
  const remedy = shared === undefined ? alone : remedyForShared(shared);
  return new RuleError(
    'rule.cyclic',
    `Rule ${by?.name} makes an attribute of ${partsOf(to)[0]} depend on itself (${cycle}): ${remedy}`,
    { rule: by?.name ?? '' },
  );
}

function remedyForShared({ to, writes }: Step): string {
  return `an item may be of both ${writes} and ${partsOf(to)[0]}, so give each a type of its own, or text of its own in its key patterns`;
}

function remedyWithin(by: Step['by']): string {
  const keep = by !== undefined && 'located' in by && by.located.in !== 'itself';
  return `remove from reads what the rule writes${keep ? ', and if some copies are to keep their value, let rootOf return undefined for them' : ''}`;
}

/** Pairs of attributes: the second depends on the first. */
function dependencies(
  table: TableNames,
  rule: Rule,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): [Node, Node][] {
  const outputs = namedOutputs(rule);
  const copied =
    rule.copies === 'all'
      ? attributesAnyRuleKnows(rule, rules, aggregates).filter((name) => isCopiable(table, rule, name))
      : rule.copies;
  const same = copied.map((name): [Node, Node] => [node(rule.root.name, name), node(rule.copy.name, name)]);
  const readers = [
    ...rule.reads.root.map((name) => node(rule.root.name, name)),
    // Of a copy that the rule creates, only `rootOf` sees attributes: the rule may write what names the root.
    ...(rule.creates ? [] : rule.reads.copy.map((name) => node(rule.copy.name, name))),
  ];
  // What when reads decides whether a copy has anything of its root.
  const decided = rule.when === undefined ? outputs : [...new Set([...outputs, ...copied])];
  return [
    ...same,
    ...readers.flatMap((from) => decided.map((name): [Node, Node] => [from, node(rule.copy.name, name)])),
  ];
}

/** Totals depend on what is read of members and target, and on the index keys by which members are found. */
function dependenciesOfAggregate(aggregate: Aggregate): [Node, Node][] {
  const { of, on, reads } = aggregate;
  const locating = memberIndexes(aggregate).flatMap(({ pk, sk }) => [pk, sk]);
  const read = [
    ...[...reads.member, ...locating].map((name) => node(of.name, name)),
    ...reads.target.map((name) => node(on.name, name)),
  ];
  return read.flatMap((from) =>
    computedAttributes(aggregate).map((name): [Node, Node] => [from, node(on.name, name)]),
  );
}

function attributesAnyRuleKnows(
  rule: Rule,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
): string[] {
  const known = [
    ...rules.flatMap((other) => [...namedOutputs(other), ...other.reads.root, ...other.reads.copy]),
    ...aggregates.flatMap((one) => [...computedAttributes(one), ...one.reads.member, ...one.reads.target]),
  ];
  return [...new Set([...known, ...Object.keys(rule.root.attributes.shape), '*'])];
}

function partsOf(node: Node): readonly string[] {
  return JSON.parse(node) as readonly string[];
}
