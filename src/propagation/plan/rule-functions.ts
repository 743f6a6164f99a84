import type { Derived } from '../../model/attribute-value.ts';
import { DenormError, Unprojectable } from '../../model/errors.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  isLegalKeyPart,
  keyIn,
  longestPk,
  longestSk,
} from '../../model/item.ts';
import { viewOf } from '../../model/kind.ts';
import type { Place } from '../../model/copy-location.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessUnprojectable } from '../../model/unless-invalid.ts';

/**
 * Where this root places its copies.
 * @throws Unprojectable where the root does not say, or where no item could stand there
 */
export function placeOf(table: TableNames, rule: Rule, root: Item): Place {
  const at = { rule, key: keyIn(table, root), concerns: 'root' } as const;
  const place = guarded(at, () => locate(table, rule, root, at.key));
  if (isLegalPlace(place)) return place;
  const why = `Rule ${rule.name} locates copies at a key that DynamoDB rejects: expected a partition key of 1 to ${longestPk} bytes and a sort key of 1 to ${longestSk}`;
  throw new Unprojectable('root', 'root.unplaceable', why, errorPlace(at));
}

function locate(table: TableNames, rule: Rule, root: Item, key: ItemKey): Place {
  const { located } = rule;
  if (located.in === 'itself') return { in: 'key', ...key };
  const view = viewOf(table, rule.root, root, { rule: rule.name, role: 'root', reads: rule.reads.root });
  if (located.in === 'key') return { in: 'key', ...located.at(view) };
  if (located.in === 'partition') return { in: 'partition', ...located.at(view) };
  return { in: 'index', index: located.index.name, ...located.at(view) };
}

function isLegalPlace(place: Place): boolean {
  if (place.in === 'key') return isLegalKey(place);
  return isLegalKeyPart(place.pk, longestPk) && Buffer.byteLength(place.begins ?? '') <= longestSk;
}

/** The key of the root that a copy names, or undefined where it names none that could exist. */
export function rootOf(table: TableNames, rule: Rule, copy: Item): ItemKey | undefined {
  return unlessUnprojectable(
    () => rootNamedBy(table, rule, copy),
    () => undefined,
  );
}

/**
 * The key of the root that a copy names, or undefined where the rule says that it names none.
 * @throws Unprojectable where the copy does not hold what the rule needs to say so
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
 * @throws Unprojectable where root or copy lacks what a derivation reads, or where a derivation throws
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

/** Whose fault an impossible derivation is: the root's alone only where the rule reads nothing of the copy. */
export function faultOf(rule: Rule): 'root' | 'copy' {
  return rule.located.in === 'itself' || rule.reads.copy.length === 0 ? 'root' : 'copy';
}

interface Call {
  readonly rule: Pick<Rule, 'name'>;
  readonly key: ItemKey;
  readonly concerns: 'root' | 'copy';
}

/** A rule's function that throws makes its item unprojectable; what it threw may hold content and is not passed on. */
export function guarded<T>(call: Call, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unprojectable) throw error;
    if (error instanceof DenormError)
      throw new Unprojectable(call.concerns, error.code, error.message, errorPlace(call));
    const thrown = error instanceof Error ? error.name : 'a value that is not an Error';
    const why = `A function of rule ${call.rule.name} threw ${thrown} on this item: make the schema reject what the function cannot use`;
    throw new Unprojectable(call.concerns, 'rule.threw', why, errorPlace(call));
  }
}

function errorPlace({ rule, key }: Call) {
  return { rule: rule.name, key };
}
