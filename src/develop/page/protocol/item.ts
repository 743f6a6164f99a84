import type { Attributes, Key } from './project.ts';

/** `GET /api/item?pk=…&sk=…`. */
export interface ItemView {
  readonly key: Key;
  readonly item: Attributes | undefined;
  readonly kinds: readonly string[];
  /** How its type contradicts its key. */
  readonly contradiction: string | undefined;
  readonly roles: readonly { readonly rule: string; readonly says: string }[];
  readonly planned: readonly PlannedView[];
  readonly cost: { readonly readUnits: number; readonly writeUnits: number };
  /** Newest first. */
  readonly archived: readonly ArchivedView[];
}

/** What a propagation of the item, or a computation of a target, would do now. */
export interface PlannedView {
  readonly rule: string;
  readonly cause: string;
  /** The root, or the target. */
  readonly root: Key;
  /** Where it looks for copies or members, in words. */
  readonly where: readonly string[];
  /** Of a computation: the items found where members are. */
  readonly members: number | undefined;
  readonly written: number;
  readonly unchanged: number;
  /** Whether there are further copies, which were not read. */
  readonly more: boolean;
  readonly writes: readonly { readonly key: Key; readonly does: string }[];
  readonly deadLettered: readonly string[];
}

export interface ArchivedView {
  readonly id: string;
  readonly kind: string;
  readonly archivedAt: number;
  readonly final: boolean;
  /** Undefined if it was not read, for the reason in `unread`. */
  readonly item: Attributes | undefined;
  readonly unread: string | undefined;
}

/** `POST /api/item`: an UpdateItem on condition that the item exists. Without a value, the attribute is removed. */
export interface Edit {
  readonly key: Key;
  readonly attribute: string;
  /** In DynamoDB JSON: `{"S": "Ada"}`. */
  readonly value?: unknown;
}
