import type { Writer } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { changesOfAggregate } from './aggregate-changes.ts';
import type { ExampleChanges, Marked } from './example-changes.ts';
import { changesOfRule } from './rule-changes.ts';

/** @throws DenormError `cost.items` if there are no items that show the rule or the aggregate */
export function exampleChanges(
  table: TableNames,
  writer: Writer,
  itemBytes: number,
  marked?: Marked,
): ExampleChanges {
  return 'computes' in writer
    ? changesOfAggregate(table, writer, itemBytes, marked)
    : changesOfRule(table, writer, itemBytes, marked);
}
