import * as z from 'zod';
import type { AnyKind } from '../../model/kind.ts';
import { patternOf } from '../../model/placeholders.ts';
import type { Rule } from '../../model/rule.ts';
import {
  computedText,
  type Description,
  describeTyped,
  patternOrSource,
  rangeText,
  readsText,
  sourceText,
} from './description.ts';

export function describeRule(rule: Rule): Description {
  const itself = rule.located.in === 'itself';
  const { name, tenant, when, rootOf } = rule;
  const rootKey = patternOrSource(rootOf, (view) => {
    const key = rootOf(view);
    return key && `${key.pk} / ${key.sk}`;
  });
  return {
    rule: name,
    type: 'rule',
    fields: {
      root: [describeTyped(rule.root)],
      copy: itself ? [] : [describeTyped(rule.copy)],
      located: [describeLocation(rule)],
      rootOf: itself ? [] : [rootKey],
      tenant: tenant === undefined ? [] : [tenant],
      creates: rule.creates ? ['copies that are missing where their root places them'] : [],
      when: when === undefined ? [] : [sourceText(when.root)],
      copies: rule.copies === 'all' ? describeMirror(rule) : rule.copies,
      derive: Object.keys(rule.derive).map((attribute) => `${attribute} = ${derivation(rule, attribute)}`),
      reads: itself ? readsText({ root: rule.reads.root }) : readsText(rule.reads),
      onDelete: itself ? describeOwnRemoval(rule) : [removals[rule.onDelete]],
      onExpire: itself ? [] : [removals[rule.onExpire]],
    },
  };
}

/** Where copies are. */
export function describeLocation({ root, located }: Rule): string {
  if (located.in === 'itself') return 'the root itself is the copy';
  const pattern = patternOf((view) => {
    if (located.in === 'keys')
      return `at the keys ${located
        .at(view)
        .map(({ pk, sk }) => `${pk} / ${sk}`)
        .join(', ')}`;
    const location = located.at(view);
    if ('sk' in location) return `at the key ${location.pk} / ${location.sk}`;
    return rangeText(located, location);
  }, textLists(root));
  return pattern ?? computedText(located, located.at);
}

/** The attributes that are lists of text. */
function textLists({ attributes }: AnyKind): ReadonlySet<string> {
  const lists = Object.entries(attributes.shape).filter(
    ([, schema]) => schema instanceof z.ZodArray && schema.element instanceof z.ZodString,
  );
  return new Set(lists.map(([name]) => name));
}

function describeMirror({ own, derive, unknown }: Rule): readonly string[] {
  return [
    `all attributes but ${['keys', 'index keys', 'expiry', ...own, ...Object.keys(derive)].join(', ')}`,
    unknown === 'remove' ? 'other attributes of a copy are removed' : 'other attributes of a copy stay',
  ];
}

function derivation({ derive }: Rule, attribute: string): string {
  return patternOrSource(derive[attribute], (view) => {
    const value = derive[attribute]?.({ root: view, copy: view });
    return typeof value === 'string' ? value : undefined;
  });
}

const removals = {
  delete: 'copies are deleted',
  clear: 'copies lose what the rule writes',
  keep: 'copies stay as they are',
} as const;

/** An item that is its own copy is gone with its root: only `when` can leave it without one. */
function describeOwnRemoval({ when, onDelete }: Rule): readonly string[] {
  if (when === undefined) return [];
  return [onDelete === 'clear' ? 'the item loses what the rule writes' : 'the item stays as it is'];
}
