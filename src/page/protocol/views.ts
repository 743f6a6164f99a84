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
  /** The names of the TTL attribute, and of the indexes whose partition key is one attribute. */
  readonly ttl: string;
  readonly indexes: readonly { readonly name: string; readonly keys: readonly string[] }[];
  /** What the server answers, such as `POST /api/item`: the page offers nothing else. */
  readonly answers: readonly string[];
  /** `layer`: how many rules lead to it, one after the other; undefined for a kind of no rule. */
  readonly kinds: readonly {
    readonly name: string;
    readonly keys: string;
    readonly layer: number | undefined;
  }[];
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
  /** Who writes each attribute. Those without an entry are the application's. */
  readonly owners: Readonly<Record<string, Owner>>;
  /** Present if the item is the worker's own. */
  readonly own: OwnItem | undefined;
  /** Undefined if no rule archives it, or nobody looked. */
  readonly archived: ArchivedView | undefined;
  /** What happened to it since then, and what the archive says, the oldest first; undefined if nobody listened. */
  readonly history: { readonly since: number; readonly events: readonly ItemEvent[] } | undefined;
  /** Of an item that is gone: how it was archived and how it ended, with times. */
  readonly ends: readonly Pick<ItemEvent, 'at' | 'text'>[];
  /** Why it is of no kind although its key is that of one. */
  readonly problem: string | undefined;
  /** Its role in each rule; `of` are its root or targets. */
  readonly roles: readonly (Record<'rule' | 'as' | 'why', string> & { readonly of: readonly Key[] })[];
  /** What the worker would do about it now, in words. Nothing is written. */
  readonly now: readonly ActionOutcome[];
  /** For each rule of which it is a root: its copies. */
  readonly copies: readonly CopiesView[];
}

/** `copied from` a root by a rule, `computed` by one, or `you` beside what the attribute is for. */
export interface Owner {
  readonly text: string;
  readonly root?: Key;
  readonly rule?: string;
}

/** An entry of a ledger, or the head that adds entries up. */
export interface OwnItem {
  readonly rule: string;
  readonly target: Key | undefined;
  /** Undefined for a head. */
  readonly member: Key | undefined;
}

/** A line of an item's history. */
export interface ItemEvent {
  /** In epoch milliseconds. */
  readonly at: number;
  readonly text: string;
  /** Code and reason of a dead letter. */
  readonly reason?: string;
  /** The change that it is, or that made the worker do it, if that is known. */
  readonly change?: number | undefined;
  readonly byWorker: boolean;
}

/** What the archive has of an item. Times are in epoch milliseconds. */
export interface ArchivedView {
  /** The newest first; others are only counted. */
  readonly states: readonly {
    readonly at: number;
    readonly final: boolean;
    readonly expiresAt?: number;
    readonly item?: Attributes;
    /** The attributes in which it differs from the state before it, if that is here too. */
    readonly differs?: readonly string[];
    /** Why its content cannot be read. */
    readonly problem?: string;
  }[];
  readonly count: number;
  /** When it was restored last. */
  readonly restored: readonly number[];
}

export interface CopiesView {
  readonly rule: string;
  /** Those that exist. */
  readonly keys: readonly Key[];
  /** Keys at which the root has a copy that does not exist. */
  readonly missing: readonly Key[];
  /** Whether there are others, which were not read. */
  readonly more: boolean;
}

/**
 * A page of items with some of their attributes.
 * - `GET /api/list?kind=…&begins=…&attribute=…&from=…`: those that changed in this run, the newest first, then all others in the
 *   order of the table.
 * - `GET /api/items?pk=…&sk=…&index=…&from=…`: of a partition of the table or of an index, by the beginning of the sort key.
 */
export interface ItemsView {
  /** Names of attributes. */
  readonly columns: readonly string[];
  readonly rows: readonly ItemRow[];
  /** Attributes of these items that have no column. */
  readonly hidden: readonly string[];
  /** What to ask for the next page with; undefined on the last. */
  readonly next: string | undefined;
  /** Items that were read for this page. */
  readonly read: number;
  /** Archived items of this kind or partition that are gone. Only on a first page, where somebody looked. */
  readonly gone?: GoneView;
}

export interface GoneView {
  readonly keys: readonly Key[];
  /** Whether there may be others: not all of the archive was looked at, or not all are listed. */
  readonly more: boolean;
}

export interface ItemRow {
  readonly key: Key;
  readonly kinds: readonly string[];
  /** For each column, in DynamoDB JSON: null if it is missing, false if it is large. */
  readonly values: readonly unknown[];
  /** When it changed in this run, in epoch milliseconds. */
  readonly changedAt?: number;
  /** Its roots. */
  readonly follows: readonly Key[];
  /** Copies and targets that exist. */
  readonly followedBy: readonly Key[];
  /** Where a query finds its copies. */
  readonly queries: readonly {
    readonly kind: string;
    readonly parameters: Readonly<Record<string, string>>;
  }[];
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
  /** The copies that its messages name: the first of them. */
  readonly copies: readonly Key[];
  /** What its rule would make of the root or the item now, in words; undefined if nobody has looked. */
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
  /** What the last beat told, as a sentence. */
  readonly heartbeat: string;
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
