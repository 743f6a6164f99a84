import type { Attributes, Key } from './project.ts';
import type { Outcome } from './trouble.ts';

/** `GET /api/item?pk=…&sk=…`. */
export interface ItemView {
  readonly key: Key;
  readonly item: Attributes | undefined;
  readonly kinds: readonly string[];
  /** Why it is of no kind although its key is that of one. */
  readonly problem: string | undefined;
  readonly roles: readonly RoleView[];
  /** What the worker would do about it now, in words. Nothing is written. */
  readonly now: readonly Outcome[];
  /** For each rule of which it is a root: where copies are now, or would be. */
  readonly copies: readonly CopiesView[];
}

/** Its role in a rule; `of` are its root or targets. */
export interface RoleView {
  readonly rule: string;
  readonly as: string;
  readonly of: readonly Key[];
  readonly why: string;
}

export interface CopiesView {
  readonly rule: string;
  readonly keys: readonly Key[];
  /** Whether there are others, which were not read. */
  readonly more: boolean;
}

/** `GET /api/items?pk=…`: the first items of a partition, in the order of their sort keys. */
export interface PartitionView {
  readonly items: readonly ItemOfPartition[];
  readonly more: boolean;
}

export interface ItemOfPartition {
  readonly key: Key;
  readonly kinds: readonly string[];
  readonly item: Attributes;
}

/**
 * `GET /api/example`: items that show a rule, made from its schemas, or an empty object if none could be made. `POST /api/example`
 * writes `before` and its copies if they do not exist, and then `after`, or `before` again if it is `after`. It answers an
 * Outcome.
 */
export interface ExampleView {
  readonly rule: string;
  /** Undefined if the change is a new item. */
  readonly before: ExampleItem | undefined;
  readonly copies: readonly ExampleItem[];
  readonly after: ExampleItem;
  /** What differs, and what shows it on the copy. */
  readonly attribute: string | undefined;
  readonly copyAttribute: string | undefined;
  /** Why there are no items. */
  readonly why?: string;
}

export interface ExampleItem {
  readonly key: Key;
  readonly kind: string;
  readonly item: Attributes;
}

/** `POST /api/item`: an UpdateItem on condition that the item exists. Without a value, the attribute is removed. */
export interface Edit {
  readonly key: Key;
  readonly attribute: string;
  /** In DynamoDB JSON: `{"S": "Ada"}`. */
  readonly value?: unknown;
}
