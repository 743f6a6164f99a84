import type { ItemKey } from '../../model/items/item.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Message } from '../../model/work/message.ts';
import type { PropagationReport } from '../../model/work/report.ts';
import type { CopiesRead, CopyPlan } from '../../plan/plan-copy.ts';
import type { EntryPlan } from '../../plan/plan-entry.ts';
import type { ClockPort, QueuePort, Settings, TablePort, TelemetryPort } from '../ports.ts';
import type { CopyPage, NamedCopies } from './copy-pages.ts';
import type { Memory } from './item-memory.ts';
import type { Pace } from './pace.ts';

/** The clock decides only when to write, to stop and to give up, never what is written. */
export interface PropagationContext {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly queue: QueuePort;
  readonly telemetry: TelemetryPort;
  readonly settings: Settings;
  /** Whether the invocation is about to end, or will be after so many milliseconds: then nothing more is started. */
  readonly outOfTime: (aheadMs?: number) => boolean;
  readonly clock: ClockPort;
  /** Each batch asks once what is paused. Without it, nothing is. */
  readonly pauses?: () => Promise<Pauses>;
  /** Why work of this rule is not begun: as of the batch's beginning. */
  readonly held?: (rule: string) => 'paused' | 'unavailable' | undefined;
  /** Without it, only the number of items is bounded. */
  readonly memory?: Memory;
}

export type Tally = { -readonly [Field in keyof PropagationReport]: PropagationReport[Field] };

export interface Propagation {
  readonly context: PropagationContext;
  /** From this page on. */
  readonly message: Message;
  readonly pace: Pace;
  readonly tally: Tally;
}

export type ItemPlan = CopyPlan | EntryPlan;

/** The items that a message asks to write: copies, which follow from their root; totals or entries, which follow from members. */
export interface DerivedItems {
  /**
   * Adds to the message all that it takes to find the items.
   * @throws InvalidItemError if nothing tells where they are
   */
  locate(message: Message): Promise<Message>;
  /** A page is read each time that the caller asks for one. */
  pages(message: Message): AsyncIterable<CopyPage>;
  /** What is left to compare of a page: index entries that are right need not be read. */
  pending(message: Message, page: CopyPage): Promise<NamedCopies>;
  /** Whether a page without items is planned: what they follow from may be invalid. */
  plansEmpty(message: Message): boolean;
  /**
   * Reads what the items follow from, and says what each must be.
   * @returns undefined if the time was up before it had read everything
   * @throws InvalidItemError if what it has read is invalid
   */
  plan(message: Message, items: CopiesRead): Promise<readonly ItemPlan[] | undefined>;
  readAgain(keys: readonly ItemKey[]): Promise<NamedCopies>;
  /** A message that asks for these items only. */
  naming(message: Message, keys: readonly ItemKey[]): Message;
}
