import type { Registry } from '../../model/registry.ts';
import { retry } from '../../scan/retry.ts';
import { type ScanPoint, scanTable, type TableScan } from '../../scan/scan-table.ts';
import { listItems } from '../read-states.ts';
import type { Audit } from './audit.ts';
import type { Auditing } from './audit-context.ts';
import { claimsOfEnds, claimsOfItems } from './claims-of.ts';
import { passed } from './grace.ts';
import { type LeftOver, leftOver, stillLeftOver } from './left-over.ts';
import { type HistoryRead, type HistoryReading, readHistory } from './read-history.ts';

/** Claims that every item which is going to expire is archived as it is. @returns how far the scan came */
export function auditItems(
  audit: Audit,
  registry: Registry,
  scan: Omit<TableScan, 'visit'>,
): Promise<ScanPoint> {
  return scanTable({
    ...scan,
    visit: (items) => audit.look(claimsOfItems(registry, items)),
  });
}

/** Claims that the last state of every item that has ended is archived or erased, as far back as the stream reaches. */
export function auditHistory(
  audit: Audit,
  registry: Registry,
  reading: Omit<HistoryReading, 'visit'>,
): Promise<HistoryRead> {
  return readHistory({
    ...reading,
    visit: (changes) => audit.look(claimsOfEnds(registry, changes)),
  });
}

/** Items that are looked for in the table together. Source: AWS, "BatchGetItem". */
const together = 100;

/**
 * Looks through what is archived under rules that erase for what ought to have been erased: states of an item that is
 * gone without a last state, or that an erasure has left. Each object is listed, and items that are gone are asked for.
 * @param onItems told how many items were looked through so far
 */
export async function auditErasures(
  audit: Audit,
  work: Auditing,
  onItems: (items: number) => void,
): Promise<void> {
  const { registry, reader, clock, grace, stop } = work;
  let looked = 0;
  for (const rule of registry.archives.filter(({ onDelete }) => onDelete === 'erase')) {
    const kinds = rule.kinds.map(({ name }) => name);
    const suspects: LeftOver[] = [];
    for await (const items of inGroups(listItems(reader, registry.table, { kinds }), together)) {
      if (stop()) return;
      suspects.push(...(await retry(clock, () => leftOver(work, items))));
      looked += items.length;
      onItems(looked);
    }
    if (suspects.length === 0) continue;
    if (!(await passed(work, clock.now() + grace))) return;
    for (const { kind, key, objectKey } of await retry(clock, () => stillLeftOver(work, suspects)))
      audit.found({ wrong: 'left', rule: rule.name, kind, key, objectKey, sequence: undefined });
  }
}

async function* inGroups<Entry>(entries: AsyncIterable<Entry>, size: number): AsyncGenerator<Entry[]> {
  let group: Entry[] = [];
  for await (const entry of entries) {
    group.push(entry);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  yield group;
}
