import { RuleError } from '../basics/errors.ts';
import { keyParts } from '../items/table-names.ts';
import { type AnyKind, kindsOverlap } from '../kinds/kind.ts';
import { memberIndexes } from './aggregate.ts';
import type { BoundRule, BoundWriter } from './bound-rule.ts';
import { isCopiable, namedOutputs, sourceName, type Writer, writtenKind } from './rule-attributes.ts';

/** An attribute of a kind; `*` means every attribute that a rule copies without naming it. */
interface Attribute {
  readonly kind: AnyKind;
  readonly name: string;
  /** The same for the same attribute of the same kind. */
  readonly text: string;
  /** The first of a path has none. */
  readonly by?: Writer;
}

/**
 * Refuses writers of which one writes, directly or through others, an attribute that it depends on. What is written to a kind
 * is also written to every kind that an item may be of at the same time.
 * @throws RuleError `rule.cyclic`
 */
export function checkCycles(writers: readonly BoundWriter[]): void {
  const kinds = [...new Map(writers.flatMap(kindsOf).map((kind) => [kind.name, kind])).values()];
  const dependents = new Map<string, Attribute[]>();
  for (const by of writers) {
    const written = writtenKind(by);
    const shared = kinds.filter((kind) => kind.name !== written.name && kindsOverlap(written, kind));
    for (const [from, name] of dependencies(by, writers)) {
      // An item that is a copy of itself already has what is copied.
      const isCopied = by.is === 'rule' && from.name === name && !Object.hasOwn(by.derive, name);
      const more = shared.filter((kind) => !(isCopied && kind.name === from.kind.name));
      const next = [written, ...more].map((kind) => ({ ...attributeOf(kind, name), by }));
      const before = dependents.get(from.text);
      if (before === undefined) dependents.set(from.text, next);
      else before.push(...next);
    }
  }
  const done = new Set<string>();
  function visit(path: readonly Attribute[]): void {
    const [last] = path.slice(-1);
    if (last === undefined || done.has(last.text)) return;
    for (const next of dependents.get(last.text) ?? []) {
      const first = path.findIndex((one) => one.text === next.text);
      if (first >= 0) throw cyclic([...path.slice(first + 1), next]);
      visit([...path, next]);
    }
    done.add(last.text);
  }
  for (const next of dependents.values()) for (const one of next) visit([one]);
}

function attributeOf(kind: AnyKind, name: string): Attribute {
  return { kind, name, text: JSON.stringify([kind.name, name]) };
}

function kindsOf(writer: Writer): readonly AnyKind[] {
  return writer.is === 'rule' ? [writer.root, writer.copy] : [writer.of, writer.on];
}

/** @param steps each attribute of the cycle once; the last one comes before the first */
function cyclic(steps: readonly Attribute[]): RuleError {
  const [last] = steps.slice(-1);
  const cycle = [...steps.slice(-1), ...steps].map(({ kind, name }) => `${kind.name}.${name}`).join(' → ');
  return new RuleError(
    'rule.cyclic',
    `Rule ${last?.by?.name} makes an attribute of ${last?.kind.name} depend on itself (${cycle}): ${remedyFor(steps)}`,
    { rule: last?.by?.name ?? '' },
  );
}

function remedyFor(steps: readonly Attribute[]): string {
  const shared = steps.find(({ kind, by }) => by !== undefined && writtenKind(by).name !== kind.name);
  if (shared?.by !== undefined)
    return `an item may be of both ${writtenKind(shared.by).name} and ${shared.kind.name}, so give each a type of its own, or text of its own in its key patterns`;
  const names = [...new Set(steps.map(({ by }) => by?.name))];
  return names.length > 1
    ? `let one of ${names.join(', ')} stop reading or writing one of these`
    : 'remove from reads what the rule writes, and if some copies are to keep their value, let rootOf return undefined for them';
}

function dependencies(
  writer: BoundWriter,
  writers: readonly BoundWriter[],
): (readonly [Attribute, string])[] {
  const outputs = namedOutputs(writer);
  if (writer.is === 'aggregate')
    return pairsOf(
      [...readBy(writer), attributeOf(writer.of, existence)],
      [...outputs, ...(writer.creates ? [existence] : [])],
    );
  const { root, when, copies } = writer;
  const copied =
    copies === 'all' ? namesKnown(writers, root).filter((name) => isCopiable(writer, name)) : copies;
  // What when reads decides whether a copy has anything of its root.
  const decided = when === undefined ? outputs : [...new Set([...outputs, ...copied])];
  return [
    ...copied.map((name) => [attributeOf(root, sourceName(writer, name)), name] as const),
    ...pairsOf(readBy(writer), decided),
    ...(writer.creates ? pairsOf([attributeOf(root, existence)], [existence]) : []),
  ].filter(([from]) => !isOfItemAbove(writer, from));
}

/** Stands among attributes for whether an item is there: members that are count, and what is created is there. */
const existence = '(existence)';

/** In a tree, what depends on the item above ends at the topmost, or at the first that is above itself. */
function isOfItemAbove({ tree, outputs, reads }: BoundRule, { name }: Attribute): boolean {
  return tree !== undefined && outputs.has(name) && !reads.copy.includes(name);
}

/** Members are found by index keys, too. */
function readBy(writer: Writer): readonly Attribute[] {
  const of = (kind: AnyKind, names: readonly string[]) => names.map((name) => attributeOf(kind, name));
  if (writer.is === 'aggregate') {
    const locating = memberIndexes(writer).flatMap((index) => keyParts(index).names);
    return [...of(writer.of, [...writer.reads.member, ...locating]), ...of(writer.on, writer.reads.target)];
  }
  // Of a copy that the rule creates, only `rootOf` sees attributes: the rule may write what names the root.
  return [
    ...of(writer.root, writer.reads.root),
    ...(writer.creates ? [] : of(writer.copy, writer.reads.copy)),
  ];
}

function pairsOf(read: readonly Attribute[], outputs: readonly string[]) {
  return read.flatMap((from) => outputs.map((name) => [from, name] as const));
}

/** As far as a rule, an aggregate or its root's schema names them. */
function namesKnown(writers: readonly Writer[], root: AnyKind): string[] {
  const named = writers.flatMap((one) => [...namedOutputs(one), ...Object.values(one.reads).flat()]);
  return [...new Set([...named, ...Object.keys(root.attributes.shape), '*'])];
}
