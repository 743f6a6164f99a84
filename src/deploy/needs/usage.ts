import { type IndexNames, keyParts, type TableNames } from '../../model/items/table-names.ts';
import type { AnyKind } from '../../model/kinds/kind.ts';
import { placeholders } from '../../model/kinds/placeholders.ts';
import type { Aging, ArchiveRule } from '../../model/rules/archive-rule.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { RemovalPolicy } from '../../model/rules/rule.ts';
import { policiesOf, writesNothing } from '../../model/rules/rule-attributes.ts';
import { heartbeatKey } from '../../model/work/heartbeat.ts';

/** What the rules need of the stack. Indexes are names. */
export type Usage = ReturnType<typeof usageOf>;

/** What these rules need, disabled ones included: a deployment may switch them on. */
export function usageOf({ table, rules, aggregates, archives }: Registry) {
  const aging = archives.filter((rule) => rule.ages !== undefined);
  const ages = archives.flatMap((rule) => rule.ages ?? []);
  const removing = (by: Permission) =>
    rules.filter(
      (rule) =>
        rule.located.in !== 'itself' && policiesOf(rule).some((policy) => permissions[policy].includes(by)),
    );
  const keysOf = (...kinds: readonly AnyKind[]) =>
    kinds.length === 0 ? undefined : leadingKeys(table, kinds);
  const ledgers = aggregates.flatMap(({ ledger }) => ledger ?? []);
  // Heads of a ledger are read by their keys.
  const members = aggregates.flatMap((one) => (one.ledger === undefined ? one.members : []));
  const verified = queries(table, members);
  return {
    propagates: rules.length + aggregates.length > 0,
    archives: archives.length > 0,
    sweeps: ages.length > 0,
    beats: heartbeatKey(table) !== undefined,
    propagation: {
      ...queries(table, [...rules.map(({ located }) => located), ...members]),
      /** Patterns of the partition keys that are updated, put and deleted; empty if any may be, undefined if none is. */
      updates: keysOf(
        ...rules.filter((rule) => !writesNothing(rule)).map(({ copy }) => copy),
        ...aggregates.map(({ on }) => on),
        ...ledgers.map(({ heads }) => heads.of),
      ),
      creates: keysOf(
        ...rules.filter(({ creates }) => creates).map(({ copy }) => copy),
        ...aggregates.filter(({ creates }) => creates).map(({ on }) => on),
        ...ledgers.map(({ entries }) => entries.of),
      ),
      deletes: keysOf(
        ...removing('deletes').map(({ copy }) => copy),
        ...aggregates.filter(({ onEmpty }) => onEmpty === 'delete').map(({ on }) => on),
        ...ledgers.map(({ entries }) => entries.of),
      ),
      conditionsOnRoots: rules.some(({ creates }) => creates) || removing('conditionsOnRoots').length > 0,
    },
    // Beside single items. Of a ledger, verify compares heads with their entries.
    verify: { ...verified, queriesTable: verified.queriesTable || ledgers.length > 0 },
    archive: storingOf(archives),
    sweep: {
      ...storingOf(aging),
      ...queries(table, [
        ...ages.map(({ found }) => found),
        ...ages.flatMap((one) => companionLocations(table, one)),
      ]),
      scans: ages.some(({ found }) => found.in === 'scan'),
      writtenKeys: leadingKeys(
        table,
        ages.flatMap((one) => [one.kind, ...one.with.map(({ kind }) => kind)]),
      ),
    },
  };
}

type Permission = 'deletes' | 'conditionsOnRoots';

/** What each policy needs of the worker's role, on copies and on roots. */
const permissions: Readonly<Record<RemovalPolicy, readonly Permission[]>> = {
  delete: ['deletes', 'conditionsOnRoots'],
  clear: ['conditionsOnRoots'],
  keep: [],
};

interface Location {
  readonly in: string;
  readonly index?: string | IndexNames;
}

/** Whether the table itself is queried for items at these locations, and which of its indexes are. */
function queries({ indexes }: TableNames, locations: readonly Location[]) {
  const queried = locations.map(({ index }) => (typeof index === 'object' ? index.name : index));
  const names = Object.values(indexes).map(({ name }) => name);
  return {
    queriesTable: locations.some((location) => location.in === 'partition'),
    indexes: names.filter((name) => queried.includes(name)),
  };
}

function storingOf(archives: readonly ArchiveRule[]) {
  return {
    objects: archives.some(({ layout }) => layout === 'object'),
    batches: archives.some(({ layout }) => layout === 'batch'),
    erases: archives.some(({ onDelete }) => onDelete === 'erase'),
  };
}

/** Where the companions of an aged item are. Anywhere, if the rule's function needs a real item to tell. */
function companionLocations({ indexes }: TableNames, aging: Aging): readonly Location[] {
  return aging.with.flatMap(({ at }): readonly Location[] => {
    try {
      return [at(placeholders())];
    } catch {
      return [{ in: 'partition' }, ...Object.values(indexes).map((index) => ({ in: 'index', index }))];
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
    kinds.map(({ pkPattern }) => pkPattern.literals.map((text) => text.replace(special, '?')).join('*')),
  );
  return patterns.has('*') ? [] : [...patterns];
}

/** Characters with a meaning in such a pattern. `?` matches any one of them, and needs no escape. */
const special = /[*?$]/g;
