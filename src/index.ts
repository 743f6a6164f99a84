/** What a project imports to define its table, its items and its rules. It loads no SDK. */
export type { Aggregate, AggregateSpec, MemberLocation } from './model/aggregate.ts';
export type {
  Aging,
  AgingFound,
  AgingSpec,
  ArchiveLayout,
  ArchiveRule,
  ArchiveRuleSpec,
  DeletionPolicy,
  StorageClass,
} from './model/archive-rule.ts';
export { aging, defineArchive } from './model/archive-rule.ts';
export type { Derived } from './model/attribute-value.ts';
export type { Config, ConfigSpec, Stage } from './model/config.ts';
export { defineConfig } from './model/config.ts';
export type { CopyLocation } from './model/copy-location.ts';
export { defineAggregate } from './model/define-aggregate.ts';
export type { KindSpec } from './model/define-kind.ts';
export { defineKind } from './model/define-kind.ts';
export { defineRule } from './model/define-rule.ts';
export { DenormError, RuleError } from './model/errors.ts';
export type { GivenKey, GivenLocation, KeyRange, KeyValue } from './model/given-keys.ts';
export type { ItemKey } from './model/item.ts';
export type { IdsOf } from './model/key-pattern.ts';
export type { AnyKind, Ids, Kind, View } from './model/kind.ts';
export type { Parameters, ParameterValues } from './model/parameters.ts';
export type { Predicate, PredicateSpec } from './model/predicate.ts';
export { predicate } from './model/predicate.ts';
export type { Reducer } from './model/reducers.ts';
export { average, count, max, min, sum } from './model/reducers.ts';
export type { Derivation, Location, RemovalPolicy, Rule, RuleSpec } from './model/rule.ts';
export type { IndexNames, KeyAttribute, TableNames } from './model/table-names.ts';
