import { type Command, Option } from 'commander';
import * as z from 'zod';
import { describeKind } from '../../explain/description.ts';
import { counted } from '../../model/basics/text.ts';
import type { ItemKey } from '../../model/items/item.ts';
import type { AnyKind } from '../../model/kinds/kind.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import type { StateFilter } from '../../operate/archive/listed-states.ts';
import type { Retrieving } from '../../operate/archive/retrieval.ts';
import { manifestPrefixOf } from '../../worker/archive/batch-object.ts';
import { prefixOf, readObjectKey } from '../../worker/archive/object.ts';
import { type ArchiveReader, retrievalTiers } from '../../worker/archive/ports.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { countOption } from '../options/option-values.ts';
import { keyJson } from '../output/text.ts';

export interface SelectionOptions {
  readonly kind?: readonly string[];
  readonly pk?: string;
  readonly sk?: string;
  readonly from?: string;
  readonly until?: string;
}

export function withSelection(command: Command): Command {
  return command
    .option('--kind <kind...>', 'only items of these kinds (default: all kinds)')
    .option('--pk <text>', 'only items whose partition key begins with this text')
    .option('--sk <text>', 'only items whose sort key begins with this text')
    .option('--from <time>', 'only states archived at this time or later: 2026-11-21, 2026-11-21T08:00Z')
    .option('--until <time>', 'only states archived before this time');
}

/**
 * If no kind is given, it is derived from the key; without a key, it is every kind in the archive, also of removed rules.
 * @throws UsageError for an invalid option
 */
export async function selectionOf(
  registry: Registry,
  reader: ArchiveReader,
  key: string | undefined,
  options: SelectionOptions,
): Promise<StateFilter> {
  if (key !== undefined && (options.pk !== undefined || options.sk !== undefined))
    throw new UsageError('usage.key', 'Expected a key, or --pk and --sk, got both: leave one out');
  const item = key === undefined ? undefined : await readKey(key);
  const from = options.from === undefined ? undefined : timeOf('--from', options.from);
  const until = options.until === undefined ? undefined : timeOf('--until', options.until);
  if (from !== undefined && until !== undefined && from >= until)
    throw new UsageError(
      'usage.time',
      `Expected --from to be earlier than --until, got ${options.from} and ${options.until}: choose an earlier --from`,
    );
  for (const name of options.kind ?? []) await checkKind(registry, reader, name);
  const kinds = options.kind ?? (item && kindsOf(registry, item));
  return { kinds, key: item, pkBegins: options.pk, skBegins: options.sk, from, until };
}

async function checkKind(registry: Registry, reader: ArchiveReader, name: string): Promise<void> {
  const archived = archivedKinds(registry).map((kind) => kind.name);
  if (archived.includes(name)) return;
  // No rule archives this kind any more, but the archive still contains its items.
  for (const prefix of [prefixOf(name), manifestPrefixOf(name)])
    if ((await reader.list(prefix)).versions.length > 0) return;
  throw new UsageError(
    'usage.kind',
    `Expected --kind to be an archived kind (${archived.join(', ')}), got '${name}', of which the archive holds nothing: name another`,
  );
}

function kindsOf(registry: Registry, key: ItemKey): readonly string[] {
  const fitting = archivedKinds(registry).filter((kind) => kind.idsOf(key) !== undefined);
  if (fitting.length > 0) return fitting.map(({ name }) => name);
  throw new UsageError(
    'usage.kind',
    `Expected the key of an item that is archived (${archivedKinds(registry).map(describeKind).join('; ')}), got ${keyJson(registry.table, key)}: if a removed rule archived it, add --kind`,
  );
}

function archivedKinds(registry: Registry): readonly AnyKind[] {
  return registry.archives.flatMap(({ kinds }) => kinds);
}

/**
 * In epoch milliseconds. A date or a time without an offset is in UTC.
 * @throws UsageError `usage.time`
 */
export function timeOf(option: string, text: string): number {
  const isLocal = text.length > 10 && !/(Z|[+-]\d\d:?\d\d)$/.test(text);
  const time = Date.parse(isLocal ? `${text}Z` : text);
  // Date.parse accepts February 30th as March 2nd.
  if (z.iso.date().safeParse(text.slice(0, 10)).success && !Number.isNaN(time)) return time;
  throw new UsageError(
    'usage.time',
    `Expected ${option} to be a time such as 2026-11-21 or 2026-11-21T08:00Z, got '${text}'`,
  );
}

export interface ChoiceOptions {
  readonly version?: string;
  readonly at?: string;
}

export function withChoice(command: Command): Command {
  return command
    .option('--version <id>', 'the state with this id, from `denorm archive list`')
    .option('--at <time>', 'the newest state archived up to this time (default: the newest state)');
}

/**
 * An ID that is unique among the states of an item: the version of its object; `last-` and the sequence
 * number of the removal; or the beginning of the name of its batch and its line number.
 */
export function stateId({ objectKey, versionId, line }: ArchivedState): string {
  const name = readObjectKey(objectKey);
  if (line !== undefined) return `${name?.holds === 'batch' ? name.name.slice(0, 12) : ''}-${line}`;
  return name?.holds === 'item' && name.final !== undefined ? `last-${name.final}` : (versionId ?? '');
}

/**
 * Chooses the newest state by default.
 * @throws UsageError with both options
 */
export function choiceOf({
  version,
  at,
}: ChoiceOptions): (states: readonly ArchivedState[]) => ArchivedState | undefined {
  if (version !== undefined && at !== undefined)
    throw new UsageError('usage.choice', 'Expected --version or --at, got both: leave one out');
  if (version !== undefined) return (states) => states.findLast((state) => stateId(state) === version);
  if (at === undefined) return (states) => states.at(-1);
  const time = timeOf('--at', at);
  return (states) => states.findLast(({ archivedAt }) => archivedAt <= time);
}

export function withRetrieval(command: Command): Command {
  return command
    .addOption(
      new Option('--tier <tier>', 'retrieval tier for Glacier: faster tiers cost more')
        .default('Standard')
        .choices(retrievalTiers),
    )
    .option('--days <number>', 'days for which a retrieved object stays readable', countOption, 1);
}

export function requestedText(storageClass: string, { tier, days }: Retrieving): string {
  const until = `for ${counted(days, 'day')}`;
  return `${storageClass} by the tier ${tier}, readable ${until} then; docs/archive.md#glacier says how long it takes. Run the same command again`;
}
