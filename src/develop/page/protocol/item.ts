import type { Explanation } from './explanation.ts';
import type { Attributes, Key } from './project.ts';

/** `GET /api/item?pk=…&sk=…`. */
export interface ItemView {
  readonly key: Key;
  readonly item: Attributes | undefined;
  readonly explanation: Explanation;
  /** Newest first. */
  readonly archived: readonly ArchivedView[];
}

export interface ArchivedView {
  readonly id: string;
  readonly kind: string;
  readonly archivedAt: number;
  readonly final: boolean;
}

/** `POST /api/item`: an UpdateItem on condition that the item exists. Without a value, the attribute is removed. */
export interface Edit {
  readonly key: Key;
  readonly attribute: string;
  /** In DynamoDB JSON: `{"S": "Ada"}`. */
  readonly value?: unknown;
}
