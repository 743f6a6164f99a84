import type { Derived } from '../../model/attribute-value.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import { DenormError, InvalidItemError } from '../../model/errors.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  isLegalKeyPart,
  keyIn,
  maxPkBytes,
  maxSkBytes,
} from '../../model/item.ts';
import { viewOf } from '../../model/kind.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';

/**
 * Where this root places its copies.
 * @throws InvalidItemError if the root lacks what the rule reads, or if DynamoDB would refuse such a key
 */
export function locationOf(table: TableNames, rule: Rule, root: Item): CopyLocation {
  const at = { rule, key: keyIn(table, root), concerns: 'root' } as const;
  const location = guarded(at, () => locate(table, rule, root, at.key));
  if (isLegalLocation(location)) return location;
  const why = `Rule ${rule.name} locates copies at a key that DynamoDB rejects: expected a partition key of 1 to ${maxPkBytes} bytes and a sort key of 1 to ${maxSkBytes}`;
  throw new InvalidItemError('root', 'root.unlocatable', why, errorContext(at));
}

function locate(table: TableNames, rule: Rule, root: Item, key: ItemKey): CopyLocation {
  const { located } = rule;
  if (located.in === 'itself') return { in: 'key', ...key };
  const view = viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
  if (located.in === 'key') return { in: 'key', ...located.at(view) };
  if (located.in === 'partition') return { in: 'partition', ...located.at(view) };
  return { in: 'index', index: located.index.name, ...located.at(view) };
}

function isLegalLocation(location: CopyLocation): boolean {
  if (location.in === 'key') return isLegalKey(location);
  return isLegalKeyPart(location.pk, maxPkBytes) && Buffer.byteLength(location.begins ?? '') <= maxSkBytes;
}

/** The key of the root that a copy names; undefined if it names none, or the copy or the key is invalid. */
export function rootOf(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  return unlessInvalid(
    () => rootNamedBy(table, rule, copy),
    () => undefined,
  );
}

/**
 * The key of the root that a copy names; undefined if it names none.
 * @throws InvalidItemError if the copy lacks what the rule reads
 */
export function rootNamedBy(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  const key = keyIn(table, copy);
  if (rule.located.in === 'itself') return key;
  const root = guarded({ rule, key, concerns: 'copy' }, () =>
    rule.rootOf(viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy })),
  );
  return root !== undefined && isLegalKey(root) ? root : undefined;
}

/**
 * The attributes that the rule derives for this copy.
 * @throws InvalidItemError if root or copy lacks what a derivation reads, or if a derivation throws
 */
export function deriveAll(
  table: TableNames,
  rule: Rule,
  root: Item,
  copy: Item,
): Map<string, Derived | undefined> {
  const from = {
    root: viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root }),
    copy: viewOf(table, rule.copy, copy, { rule: rule.name, role: 'copy', reads: rule.reads.copy }),
  };
  const concerns = faultOf(rule);
  const key = keyIn(table, concerns === 'root' ? root : copy);
  return guarded({ rule, key, concerns }, () => {
    return new Map(Object.entries(rule.derive).map(([name, derive]) => [name, derive(from)]));
  });
}

/** The item that a failed derivation makes invalid: the root only if the rule reads nothing of the copy. */
export function faultOf(rule: Rule): 'root' | 'copy' {
  return rule.located.in === 'itself' || rule.reads.copy.length === 0 ? 'root' : 'copy';
}

interface Call {
  readonly rule: Pick<Rule, 'name'>;
  readonly key: ItemKey;
  readonly concerns: 'root' | 'copy';
}

/** Runs a rule's function. If it throws, the item is invalid; the thrown error may contain content and is not passed on. */
export function guarded<T>(call: Call, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof InvalidItemError) throw error;
    if (error instanceof DenormError)
      throw new InvalidItemError(call.concerns, error.code, error.message, errorContext(call));
    const thrown = error instanceof Error ? error.name : 'a value that is not an Error';
    const why = `A function of rule ${call.rule.name} threw ${thrown} on this item: make the schema reject what the function cannot use`;
    throw new InvalidItemError(call.concerns, 'rule.threw', why, errorContext(call));
  }
}

function errorContext({ rule, key }: Call) {
  return { rule: rule.name, key };
}
