import { type Aggregate, memberIndexes } from '../model/aggregate.ts';
import type { Aging, ArchiveRule } from '../model/archive-rule.ts';
import type { AnyKind } from '../model/kind.ts';
import { headsOf } from '../model/ledger.ts';
import { placeholders } from '../model/placeholders.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';
import { writesNothing } from '../model/rule-attributes.ts';
import { keyParts, type TableNames } from '../model/table-names.ts';

/** What the rules need of the stack. Indexes are names. */
export type Usage = ReturnType<typeof usageOf>;
export type PropagationUsage = ReturnType<typeof propagationUsage>;
export type ArchiveUsage = ReturnType<typeof archiveUsage>;

/** What these rules need, disabled ones included: a deployment may switch them on. */
export function usageOf({ table, rules, aggregates, archives }: Registry) {
  const ages = archives.flatMap((rule) => (rule.ages === undefined ? [] : [rule.ages]));
  const indexes = Object.values(table.indexes).map(({ name }) => name);
  return {
    archives: archives.length > 0,
    sweeps: ages.length > 0,
    propagation: propagationUsage(table, rules, aggregates, indexes),
    // Beside single items.
    verify: verifyUsage(aggregates, indexes),
    archive: archiveUsage(archives),
    sweep: {
      ...archiveUsage(archives.filter((rule) => rule.ages !== undefined)),
      ...searchUsage(ages, indexes),
      writtenKeys: leadingKeys(
        table,
        ages.flatMap((aging) => [aging.kind, ...aging.with.map(({ kind }) => kind)]),
      ),
    },
  };
}

function propagationUsage(
  table: TableNames,
  rules: readonly Rule[],
  aggregates: readonly Aggregate[],
  indexes: readonly string[],
) {
  const members = memberUsage(aggregates, indexes);
  const queried = rules.flatMap(({ located }) => (located.in === 'index' ? [located.index.name] : []));
  const policies = rules.flatMap(({ located, onDelete, onExpire, onUnlink }) =>
    located.in === 'itself' ? [] : [onDelete, onExpire, onUnlink],
  );
  const ledgers = aggregates.filter(({ ledger }) => ledger !== undefined);
  return {
    queriesTable: members.queriesTable || rules.some(({ located }) => located.in === 'partition'),
    indexes: indexes.filter((name) => queried.includes(name) || members.indexes.includes(name)),
    creates: ledgers.length > 0 || rules.some(({ creates }) => creates),
    updates: aggregates.length > 0 || rules.length === 0 || !rules.every(writesNothing),
    deletes: ledgers.length > 0 || policies.includes('delete'),
    /** Whether copies are deleted, or cleared, on condition of their root. */
    removes: policies.some((policy) => policy !== 'keep'),
    /** Patterns of the partition keys that are written; empty if any may be. */
    writtenKeys: leadingKeys(table, [
      ...rules.map(({ copy }) => copy),
      ...aggregates.map(({ on }) => on),
      ...ledgers.map((one) => headsOf(one).of),
    ]),
  };
}

/** Of a ledger, verify compares heads with their entries. */
function verifyUsage(aggregates: readonly Aggregate[], indexes: readonly string[]) {
  const members = memberUsage(aggregates, indexes);
  return { ...members, queriesTable: members.queriesTable || aggregates.some(({ ledger }) => ledger) };
}

function memberUsage(aggregates: readonly Aggregate[], indexes: readonly string[]) {
  const recomputed = aggregates.map((one) => (one.ledger === undefined ? one : headsOf(one)));
  const queried = recomputed.flatMap(memberIndexes).map(({ name }) => name);
  return {
    queriesTable: recomputed.some(
      ({ members, areHeads }) => !areHeads && members.some((location) => location.in === 'partition'),
    ),
    indexes: indexes.filter((name) => queried.includes(name)),
  };
}

function archiveUsage(archives: readonly ArchiveRule[]) {
  return {
    objects: archives.some(({ layout }) => layout === 'object'),
    batches: archives.some(({ layout }) => layout === 'batch'),
    erases: archives.some(({ onDelete }) => onDelete === 'erase'),
  };
}

function searchUsage(ages: readonly Aging[], indexes: readonly string[]) {
  const companions = ages.flatMap((aging) => companionLocations(aging, indexes));
  const queried = [
    ...ages.flatMap(({ found }) => (found.in === 'index' ? [found.index.name] : [])),
    ...companions.flatMap((location) => (location.in === 'index' ? [location.index] : [])),
  ];
  return {
    scans: ages.some(({ found }) => found.in === 'scan'),
    queriesTable: companions.some((location) => location.in === 'partition'),
    indexes: indexes.filter((name) => queried.includes(name)),
  };
}

type QueriedLocation =
  | { readonly in: 'key' | 'partition' }
  | { readonly in: 'index'; readonly index: string };

/** Where the companions of an aged item are. Anywhere, if the rule's function needs a real item to tell. */
function companionLocations(aging: Aging, indexes: readonly string[]): readonly QueriedLocation[] {
  return aging.with.flatMap(({ at }): readonly QueriedLocation[] => {
    try {
      return [at(placeholders())];
    } catch {
      return [{ in: 'partition' }, ...indexes.map((index) => ({ in: 'index', index }) as const)];
    }
  });
}

/**
 * Patterns for the condition `dynamodb:LeadingKeys`, which match the partition keys of these kinds: `ORDER#*` for
 * `ORDER#{order}`. Empty if a key may be any text or is a number, as nothing can be told apart then. Source: IAM User Guide, "IAM JSON policy
 * elements: Condition operators", string operators with wildcards; Service Authorization Reference, DynamoDB.
 */
export function leadingKeys(table: TableNames, kinds: readonly AnyKind[]): readonly string[] {
  if (keyParts(table).pk.some(({ type }) => type === 'N')) return [];
  const patterns = new Set(
    kinds.map(({ pkPattern: { pattern } }) => pattern.replace(special, '?').replace(/\{\w+\}/g, '*')),
  );
  return patterns.has('*') ? [] : [...patterns];
}

/** Characters with a meaning in such a pattern. `?` matches any one of them, and needs no escape. */
const special = /[*?$]/g;
