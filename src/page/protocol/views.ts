/** Types alone, as JSON. `Attributes` are item content, sent to the page that asks for them and nowhere else. */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item in DynamoDB JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** `GET /api/project`: what does not change while the page is open. */
export interface ProjectView {
  readonly table: string;
  /** `at http://127.0.0.1:8000`, `of stack prod in eu-west-1`. */
  readonly where: string;
  /** Of a local table: where an SDK finds it. */
  readonly endpoint?: string;
  readonly keyNames: Key;
  /** What the server answers, such as `POST /api/item`: the page offers nothing else. */
  readonly answers: readonly string[];
  readonly kinds: readonly { readonly name: string; readonly keys: string }[];
  readonly rules: readonly RuleView[];
}

export interface RuleView {
  readonly name: string;
  /** The kind of its roots; of an archive rule, several. */
  readonly from: readonly string[];
  /** Undefined for an archive rule. */
  readonly to: string | undefined;
  /** The rule in words: a label and what it says. */
  readonly words: readonly (readonly [string, string])[];
}

/** The body of every answer that is no success. */
export interface PageRefusal {
  readonly code: string;
  readonly message: string;
}

/** `GET /api/item?pk=…&sk=…`. */
export interface ItemView {
  readonly key: Key;
  readonly item: Attributes | undefined;
  readonly kinds: readonly string[];
  /** Why it is of no kind although its key is that of one. */
  readonly problem: string | undefined;
  /** Its role in each rule; `of` are its root or targets. */
  readonly roles: readonly (Record<'rule' | 'as' | 'why', string> & { readonly of: readonly Key[] })[];
  /** What the worker would do about it now, in words. Nothing is written. */
  readonly now: readonly ActionOutcome[];
  /** For each rule of which it is a root: where copies are now, or would be. */
  readonly copies: readonly CopiesView[];
}

export interface CopiesView {
  readonly rule: string;
  readonly keys: readonly Key[];
  /** Whether there are others, which were not read. */
  readonly more: boolean;
}

/** `GET /api/items?pk=…`: the first items of a partition, in the order of their sort keys. */
export interface PartitionView {
  readonly items: readonly {
    readonly key: Key;
    readonly kinds: readonly string[];
    readonly item: Attributes;
  }[];
  readonly more: boolean;
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

/** `GET /api/failures`: dead letters and batches that Lambda gave up, the newest first. */
export interface FailuresView {
  readonly failures: readonly FailureView[];
  /** Whether there are others, which were not read. */
  readonly more: boolean;
}

/** All dead letters about one root, or a batch: a line of `denorm dlq list`. */
export interface FailureView {
  readonly id: string;
  readonly rule: string | undefined;
  readonly root: Key | undefined;
  /** The record, or the object of a batch, where no root is known. */
  readonly record: string | undefined;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  readonly newest: number;
  /** Whether it names a message that can be sent again. */
  readonly redrivable: boolean;
  /** What its rule would make of the root now, in words; undefined if nobody has looked. */
  readonly now: string | undefined;
}

/** `POST /api/redrive` sends the messages of these ids again, `POST /api/drop` deletes the dead letters and batches up to `newest`. */
export interface ActionOutcome {
  readonly text: string;
  readonly isGood: boolean;
}

/** `POST /api/verify`: compares all copies with their roots and all totals with their members, and writes nothing. */
export interface VerifyView {
  readonly items: number;
  /** Copies, and targets of aggregates. */
  readonly copies: number;
  /** Kinds of rules that no item is of. */
  readonly unmatched: readonly string[];
  readonly drift: readonly DriftView[];
  /** All drift; at most a thousand are listed. */
  readonly found: number;
}

export interface DriftView {
  readonly kind: string;
  readonly rule: string;
  readonly copy: Key;
  readonly root: Key | undefined;
  /** The attributes that differ, or why it cannot be projected. */
  readonly what: string;
}

/** `GET /api/metrics`: what the functions of a deployed stack have counted in the last three hours. */
export interface MetricsView {
  /** The beginnings of the minutes in epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  /** The age of a change when its copies were written, in milliseconds: the largest over all functions. */
  readonly age: readonly ChartLine[];
  /** Copies written and found right: the sum over all functions. */
  readonly copies: readonly ChartLine[];
  readonly services: readonly string[];
  /** What was counted, and how much of it by each service; null if it counts no such thing. */
  readonly sums: readonly { readonly name: string; readonly of: readonly (number | null)[] }[];
  /** Of the last 15 minutes, by the rules whose messages FanOut received. */
  readonly rules: readonly MessagesOfRule[];
}

export interface MessagesOfRule {
  readonly rule: string;
  /** About how many were in the fan-out queue, on average. */
  readonly waiting: number;
  /** The longest wait. */
  readonly waitMs: number;
  readonly received: number;
}

/** A line of a chart: a value for each time, null where there is none. */
export interface ChartLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
}
