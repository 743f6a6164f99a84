/** What a project's tests import: the conformance suite of its rules, and a table with the worker for its own tests. */
export type { TestRunner } from './conformance.ts';
export { type AggregateExample, describeAggregate } from './describe-aggregate.ts';
export { type ArchiveExample, describeArchive } from './describe-archive.ts';
export { describeRule } from './describe-rule.ts';
export type { ExactNumber, Plain, PlainAttributes } from './plain-values.ts';
export type { RuleExample } from './rule-example.ts';
export { startTable, type TestTable, type TestTableOptions } from './start-table.ts';
