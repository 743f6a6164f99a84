import type { BoundWriter } from '../model/rules/bound-rule.ts';
import { changesOfAggregate } from './aggregate-changes.ts';
import type { ExampleChanges, Marked } from './example-changes.ts';
import { changesOfRule } from './rule-changes.ts';

/** @throws DenormError `cost.items` if there are no items that show the rule or the aggregate */
export function exampleChanges(writer: BoundWriter, itemBytes: number, marked?: Marked): ExampleChanges {
  return 'computes' in writer
    ? changesOfAggregate(writer, itemBytes, marked)
    : changesOfRule(writer, itemBytes, marked);
}
