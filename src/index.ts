/** What a project imports to define its table, its items and its rules. It loads no SDK. */

export { DenormError, RuleError } from './model/basics/errors.ts';
export type { Derived } from './model/items/attribute-value.ts';
export type { CopyLocation } from './model/items/copy-location.ts';
export type { GivenKey, GivenLocation, KeyRange, KeyValue } from './model/items/given-keys.ts';
export type { ItemKey } from './model/items/item.ts';
export type { IndexNames, KeyAttribute, TableNames } from './model/items/table-names.ts';
export type { KindSpec } from './model/kinds/define-kind.ts';
export { defineKind } from './model/kinds/define-kind.ts';
export type { IdsOf } from './model/kinds/key-pattern.ts';
export type { AnyKind, Ids, Kind, View } from './model/kinds/kind.ts';
export type { Aggregate, AggregateSpec, MemberLocation } from './model/rules/aggregate.ts';
export type {
  Aging,
  AgingFound,
  AgingSpec,
  ArchiveLayout,
  ArchiveRule,
  ArchiveRuleSpec,
  DeletionPolicy,
  Predicate,
  PredicateSpec,
  StorageClass,
} from './model/rules/archive-rule.ts';
export { aging, defineArchive, predicate } from './model/rules/archive-rule.ts';
export type { Config, ConfigSpec, Stage } from './model/rules/config.ts';
export { defineConfig } from './model/rules/config.ts';
export { defineAggregate } from './model/rules/define-aggregate.ts';
export { defineRule } from './model/rules/define-rule.ts';
export type { Parameters, ParameterValues } from './model/rules/parameters.ts';
export type { Reducer } from './model/rules/reducers.ts';
export { average, count, list, max, min, sum, value } from './model/rules/reducers.ts';
export type { Derivation, Location, RemovalPolicy, Rule, RuleSpec } from './model/rules/rule.ts';
