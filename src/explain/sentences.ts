import type { InvalidItemError } from '../model/basics/errors.ts';
import { words } from '../model/basics/text.ts';
import type { ItemKey } from '../model/items/item.ts';
import type { RemovalPolicy } from '../model/rules/rule.ts';
import type { ExplainedRule } from './explanation.ts';

/** A sentence for each reason that the worker decides by. The item is its subject; `names` are those of attributes. */
const sentences = {
  new: 'it is new to the rule',
  differs: '{names} changed',
  same: 'nothing that the rule copies, computes, reads or finds it by differs',
  deleted: 'it was deleted',
  expired: 'it has expired',
  removed: 'it was removed',
  kept: 'it was removed, and the rule keeps what it wrote',
  excluded: 'when is false for it',
  withdrawn: 'when is false for its root',
  'left-kind': 'its type is another one now',
  'only-removes': 'the rule only removes copies',
  lost: 'it is gone, or names this root no longer: it is created again if the root still places it here',
  unlinked: 'it names this root no longer',
  rootless: 'it names no root: never written',
  nowhere: 'it names no target',
  failed: 'a function of the rule fails on it',
  right: 'it is what the rule says',
  wrong: '{names} not what the rule says',
  invalid: 'the rule cannot be applied to it',
  'invalid-as-before': 'the rule still cannot be applied to it',
  foreign: 'its root places no copy here: never written',
  orphan: 'no root is at the key that it names: an orphan, left alone',
  missing: 'its root places a copy here: it is created',
  unmade: 'it is missing: its first member makes it',
  expiring: 'it has an expiry',
  lasting: 'it has no expiry',
  erased: 'it was deleted: its archived states are erased',
} as const;

/** What becomes of a copy that has no root to follow any more, by the rule's policy. */
export const copyAfter: Readonly<Record<RemovalPolicy, string>> = {
  keep: 'it stays as it is',
  clear: 'it loses what the rule wrote',
  delete: 'it is deleted',
};

/** The same of all copies of a root. */
export const copiesAfter: Readonly<Record<RemovalPolicy, string>> = {
  keep: 'its copies stay as they are',
  clear: 'its copies lose what the rule wrote',
  delete: 'its copies are deleted',
};

/** The same of a root that is its own copy. */
export const itselfAfter: Readonly<Record<RemovalPolicy, string>> = {
  ...copyAfter,
  clear: 'it loses what the rule derives',
};

export type Because = keyof typeof sentences;

export interface Reason extends Pick<ExplainedRule, 'as' | 'asks'> {
  readonly because: Because;
  /** The attributes that a change changes, or an item from what the rule says. */
  readonly attributes?: readonly string[];
  readonly of?: readonly ItemKey[];
  readonly note?: string | undefined;
  readonly fault?: Pick<InvalidItemError, 'code' | 'message' | 'attribute'> | undefined;
}

export function explainedRule(
  { name }: { readonly name: string },
  { as, asks, because, attributes = [], of = [], note, fault }: Reason,
): ExplainedRule {
  const refused = because === 'failed' ? fault?.attribute : undefined;
  const found = refused
    ? `its ${refused.name} is not what the schema of ${refused.kind} accepts`
    : sentences[because];
  const sentence = found.replace('{names}', () => words(attributes.toSorted()));
  const failure = fault && `${fault.code}: ${fault.message}`;
  const why = [sentence, note, failure && `dead-lettered (${failure})`].filter(Boolean).join('; ');
  return {
    rule: name,
    as,
    asks,
    because,
    why,
    of,
    ...(failure !== undefined && { fault: failure }),
  };
}
