import { type BoundKind, isSameKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { policyEffects } from '../model/rules/rule.ts';
import { owns, sourceName } from '../model/rules/rule-attributes.ts';
import { requiredOf } from '../model/rules/rule-checks.ts';
import { readByWhen } from '../worker/archive/decision.ts';
import { type Finding, findings } from './finding.ts';

/** Finds policies that take from a copy what its schema requires and others read: they refuse the copy then. */
export function checkCleared(registry: Registry): readonly Finding[] {
  return registry.rules.flatMap((rule) => {
    const policies = clearingOf(rule).join(' and ');
    if (policies === '') return [];
    const { copy } = rule;
    const readers = readersOf(registry, copy);
    const messages = requiredOf(rule).map((name) => {
      const by = readers.filter(({ reads }) => owns(rule, name) && reads.includes(name));
      if (by.length === 0) return undefined;
      const names = [...new Set(by.map((one) => one.name))].join(' and ');
      return `Expected '${name}' of ${copy.name}, which rule ${rule.name} clears by ${policies}, to be optional in its schema, which otherwise refuses the item to ${names}: make it optional there, or set ${policies} to 'delete' or 'keep'`;
    });
    return findings('rules', rule.name, messages);
  });
}

function clearingOf(rule: BoundRule) {
  const { located, when } = rule;
  // An item that is its own copy is cleared only if `when` is false for it.
  const policies =
    located.in !== 'itself'
      ? (['onDelete', 'onExpire', 'onUnlink'] as const)
      : when === undefined
        ? []
        : (['onDelete'] as const);
  return policies.filter((policy) => policyEffects[rule[policy]].clears);
}

interface Reader {
  readonly name: string;
  readonly reads: readonly string[];
}

/** What each rule reads of a kind, or copies from it by name. */
export function readersOf({ rules, aggregates, archives }: Registry, kind: BoundKind): readonly Reader[] {
  return [
    ...rules.flatMap((rule): Reader[] => {
      const { name, root, copy, reads, copies } = rule;
      const copied = copies !== 'all' ? copies : rule.creates ? requiredOf(rule) : [];
      return [
        ...(isSameKind(root, kind)
          ? [{ name, reads: [...reads.root, ...copied.map((one) => sourceName(rule, one))] }]
          : []),
        ...(isSameKind(copy, kind) ? [{ name, reads: reads.copy }] : []),
      ];
    }),
    ...aggregates.flatMap(({ name, of, on, reads }): Reader[] => [
      ...(isSameKind(of, kind) ? [{ name, reads: reads.member }] : []),
      ...(isSameKind(on, kind) ? [{ name, reads: reads.target }] : []),
    ]),
    ...archives.flatMap((rule): Reader[] => {
      const { name, ages } = rule;
      const aged = ages !== undefined && isSameKind(ages.kind, kind) ? ages.reads : [];
      return [{ name, reads: [...aged, ...readByWhen(rule, kind)] }];
    }),
  ];
}
