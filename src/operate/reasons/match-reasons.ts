import type { Change } from '../../model/change.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { ofKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import {
  differencesFromItself,
  differencesOfCopy,
  differencesOfRoot,
} from '../../worker/propagation/plan/differences.ts';
import { matchRules } from '../../worker/propagation/plan/match.ts';
import { isExcluded, rootOrFault } from '../../worker/propagation/plan/rule-functions.ts';

/**
 * Why a change matches a rule, or does not:
 * - `unconcerned`: the item is neither root nor copy of the rule, before or after;
 * - `new`, `differs`, `same`: the rule's root or copy; `same` in everything that the rule copies or reads;
 * - `deleted`, `expired`, `kept`: a removed root; with `kept`, the policy keeps its copies;
 * - `gone`: a removed copy, or a removed item that was its own copy;
 * - `left-kind`: an item whose type attribute changed, so that it is no longer of the kind;
 * - `rootless`: a copy that names no root;
 * - `right`, `wrong`: an item that is its own copy, compared with its projection;
 * - `invalid`: an item that is its own copy and cannot be projected, or a copy on which `rootOf` fails.
 */
export type Because =
  | 'unconcerned'
  | 'new'
  | 'differs'
  | 'same'
  | 'deleted'
  | 'expired'
  | 'kept'
  | 'gone'
  | 'left-kind'
  | 'rootless'
  | 'right'
  | 'wrong'
  | 'invalid';

/** Whether one change of one item matches a rule, and why. Attribute names, never values. */
export interface Why {
  readonly rule: Rule;
  /** The item's role in the rule; undefined if it has none. */
  readonly as: 'root' | 'copy' | 'itself' | undefined;
  readonly asks: 'propagation' | 'check' | 'nothing';
  readonly because: Because;
  /** The attributes in which the images differ, or the item from its projection. */
  readonly attributes: readonly string[];
  /** Whether `when` is false for the root, or the item itself, as it is after the change. */
  readonly excluded: boolean;
  /** With `invalid`, how `rootOf` fails on a copy. Never content. */
  readonly fault?: string;
}

/**
 * Explains for each rule whether one change matches. {@link matchRules} decides; the same comparisons give the reasons. If
 * an item is both root and copy of a rule, the rule is listed twice.
 */
export function whyMatched(registry: Registry, change: Change): readonly Why[] {
  const { propagations, checks } = matchRules(registry, [change]);
  return registry.rules.flatMap((rule): Why[] => {
    const { table } = registry;
    const found: (Reason | undefined)[] =
      rule.located.in === 'itself'
        ? [ofItself(table, rule, change)]
        : [ofRoot(table, rule, change), ofCopy(table, rule, change)];
    const reasons = found.filter((reason) => reason !== undefined);
    if (reasons.length === 0)
      return [
        { rule, as: undefined, asks: 'nothing', because: 'unconcerned', attributes: [], excluded: false },
      ];
    return reasons.map((reason) => {
      const asked = (reason.as === 'copy' ? checks : propagations).some((one) => one.rule === rule);
      const root = reason.as === 'copy' ? undefined : ofKind(table, rule.root, change.after);
      const excluded = root !== undefined && isExcluded(table, rule, root);
      return {
        ...reason,
        rule,
        excluded,
        asks: asked ? (reason.as === 'copy' ? 'check' : 'propagation') : 'nothing',
      };
    });
  });
}

type Reason = Pick<Why, 'as' | 'because' | 'attributes' | 'fault'>;

function ofRoot(table: TableNames, rule: Rule, { before, after, expired }: Change): Reason | undefined {
  const was = ofKind(table, rule.root, before);
  const is = ofKind(table, rule.root, after);
  const reason = { as: 'root', attributes: [] } as const;
  if (was !== undefined && is !== undefined) {
    const attributes = [...differencesOfRoot(table, rule, was, is)];
    return { as: 'root', because: attributes.length > 0 ? 'differs' : 'same', attributes };
  }
  if (is !== undefined) return { ...reason, because: 'new' };
  if (was === undefined) return undefined;
  if (after !== undefined) return { ...reason, because: 'left-kind' };
  if ((expired ? rule.onExpire : rule.onDelete) === 'keep') return { ...reason, because: 'kept' };
  return { ...reason, because: expired ? 'expired' : 'deleted' };
}

function ofCopy(table: TableNames, rule: Rule, change: Change): Reason | undefined {
  const reason = { as: 'copy', attributes: [] } as const;
  const was = ofKind(table, rule.copy, change.before);
  const is = ofKind(table, rule.copy, change.after);
  if (is === undefined) return lost(table, rule.copy, reason, change);
  const root = rootOrFault(table, rule, is);
  if (root === undefined) return { ...reason, because: 'rootless' };
  if (root instanceof InvalidItemError)
    return { ...reason, because: 'invalid', fault: `${root.code}: ${root.message}` };
  if (was === undefined) return { ...reason, because: 'new' };
  const attributes = [...differencesOfCopy(table, rule, was, is)];
  return { as: 'copy', because: attributes.length > 0 ? 'differs' : 'same', attributes };
}

function ofItself(table: TableNames, rule: Rule, change: Change): Reason | undefined {
  const { before, after } = change;
  const reason = { as: 'itself', attributes: [] } as const;
  const is = ofKind(table, rule.root, after);
  if (is === undefined) return lost(table, rule.root, reason, change);
  return unlessInvalid(
    (): Reason => {
      const attributes = [...differencesFromItself(table, rule, is)];
      return { as: 'itself', because: attributes.length > 0 ? 'wrong' : 'right', attributes };
    },
    () => {
      const attributes = before === undefined ? [] : [...differencesOfRoot(table, rule, before, is)];
      return { as: 'itself', because: 'invalid', attributes };
    },
  );
}

/** The reason for an item that is no longer of the kind, if it was before. */
function lost(
  table: TableNames,
  kind: Rule['root'],
  reason: Pick<Why, 'as' | 'attributes'>,
  { before, after }: Change,
): Reason | undefined {
  if (ofKind(table, kind, before) === undefined) return undefined;
  return { ...reason, because: after === undefined ? 'gone' : 'left-kind' };
}
