import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { type Item, type ItemKey, keyText } from '../../model/items/item.ts';
import type { Condition } from '../../testing/table-model/model-table.ts';
import type { Fault } from './fault-kinds.ts';

/** The labels of streams of one table, or of tables that take over from each other, in any order. */
export const streamLabels = [
  '2025-12-02T10:00:00.000',
  '2025-12-01T10:00:00.000',
  '2026-01-01T00:00:00.000',
] as const;

export type StreamLabel = (typeof streamLabels)[number];

export type Write =
  | { readonly put: Item; readonly on?: Condition }
  | {
      readonly update: ItemKey;
      readonly set: Readonly<Record<string, AttributeValue>>;
      readonly remove: readonly string[];
      readonly on?: Condition;
    }
  | { readonly delete: ItemKey };

export function put(item: Item): Write {
  return { put: item };
}

export function set(key: ItemKey, attributes: Readonly<Record<string, AttributeValue>>): Write {
  return { update: key, set: attributes, remove: [], on: 'exists' };
}

export function dropAttributes(key: ItemKey, ...attributes: string[]): Write {
  return { update: key, set: {}, remove: attributes, on: 'exists' };
}

/** Whoever writes items of kinds that no rule names. */
export const bystander = 'bystander';

export type ReaderName = 'propagate' | 'archive';

export interface InvocationStart {
  readonly name: string;
  readonly requestsInTime?: number | undefined;
}

/**
 * One choice of the scheduler, as data: a run is a list of them, and a list with some of them left out is a run as well.
 * A step that cannot be taken, because what it speaks of is not there, does nothing.
 */
export type Step =
  | { readonly do: 'write'; readonly who: string; readonly writes: readonly Write[] }
  | { readonly do: 'expire'; readonly key: ItemKey }
  | { readonly do: 'wait'; readonly milliseconds: number }
  /** From now on the indexes are so late, messages come so late, the stream's clock is so far off. */
  | { readonly do: 'conditions'; readonly lag: number; readonly lateness: number; readonly skew: number }
  /** The table's stream is turned off and on, or another stack takes over: records have another label, and numbers of their own. */
  | { readonly do: 'stream'; readonly label: StreamLabel }
  /** The other rules of the run are deployed; invocations go on by those with which they began. */
  | { readonly do: 'deploy' }
  | { readonly do: 'outage'; readonly milliseconds: number }
  /** A reader is given the next records of a shard; again those it is working on; or again older ones. */
  | (InvocationStart & {
      readonly do: 'read';
      readonly reader: ReaderName;
      readonly shard: number;
      readonly most: number;
      readonly again: 'next' | 'doubled' | 'older';
      readonly back: number;
    })
  /** FanOut is given messages that are due, or again some that it is working on. */
  | (InvocationStart & {
      readonly do: 'receive';
      readonly skip: number;
      readonly most: number;
      readonly again?: true | undefined;
    })
  | { readonly do: 'duplicate-message'; readonly back: number }
  /** A request of an invocation is served, the first that waits where none is named, and then up to `more` others of it. */
  | {
      readonly do: 'serve';
      readonly invocation: string;
      readonly request: string | undefined;
      readonly fault: Fault | undefined;
      readonly more: number;
    }
  /** An invocation crashes; `served` names a request whose effect it did not live to see. */
  | { readonly do: 'crash'; readonly invocation: string; readonly served: string | undefined }
  /** A request that its invocation has given up takes effect. */
  | { readonly do: 'take-effect'; readonly request: string }
  | { readonly do: 'malformed-record'; readonly shard: number }
  | { readonly do: 'malformed-message'; readonly body: string }
  /** A person sends the dead letters again, and the records that went to the on-failure destination. */
  | { readonly do: 'redrive' }
  /** A sweep runs, and goes on where the one before stopped. */
  | (InvocationStart & { readonly do: 'sweep' })
  | { readonly do: 'repair'; readonly rule: string; readonly root: ItemKey }
  /** An operator pauses a rule; without one, all pauses end. */
  | { readonly do: 'pause'; readonly rule: string | undefined };

/** More requests than any invocation makes. */
export const allOthers = 999;

type ItemText = (item: Item) => string;

/**
 * A line that says what a step does, with keys and counts.
 * @param itemText how attributes are written; default: as DynamoDB does
 */
export function stepText(step: Step, itemText: ItemText = JSON.stringify): string {
  switch (step.do) {
    case 'write':
      return `${step.who} ${step.writes.map((write) => writeText(write, itemText)).join(', ')}`;
    case 'expire':
      return `expire ${keyText(step.key)}`;
    case 'wait':
      return `wait ${step.milliseconds} ms`;
    case 'stream':
      return `from now on changes come by the stream of ${step.label}`;
    case 'deploy':
      return 'other rules are deployed, and a repair of every root is sent';
    case 'outage':
      return `the table is away for ${step.milliseconds} ms`;
    case 'conditions':
      return `from now on indexes ${step.lag} ms late, messages ${step.lateness} ms, clock off by ${step.skew} ms`;
    case 'read': {
      const which =
        step.again === 'next'
          ? `the next ${step.most}`
          : step.again === 'doubled'
            ? 'the same'
            : `${step.most} from ${step.back} back`;
      return `${step.name}: ${step.reader} is given ${which} of shard ${step.shard}${inTime(step)}`;
    }
    case 'receive':
      return `${step.name}: fan-out is given ${step.most} messages${step.again ? ' that another has' : ''} from the ${step.skip}th${inTime(step)}`;
    case 'duplicate-message':
      return `a message comes once more, ${step.back} back`;
    case 'serve':
      return `${step.invocation}: ${step.request ?? 'its next request'}${step.fault === undefined ? '' : ` ${step.fault}`}${step.more === 0 ? '' : step.more >= allOthers ? ' and all others' : ` and ${step.more} more`}`;
    case 'crash':
      return `${step.invocation} crashes${step.served === undefined ? '' : ` after ${step.served}`}`;
    case 'take-effect':
      return `takes effect after its time-out: ${step.request}`;
    case 'malformed-record':
      return `a record that nobody can read comes onto shard ${step.shard}`;
    case 'malformed-message':
      return `a message that asks for no propagation comes onto the queue: ${JSON.stringify(step.body)}`;
    case 'redrive':
      return 'redrive';
    case 'sweep':
      return `${step.name}: a sweep${inTime(step)}`;
    case 'repair':
      return `repair ${step.rule} ${keyText(step.root)}`;
    case 'pause':
      return step.rule === undefined ? 'all pauses end' : `${step.rule} is paused`;
  }
}

function inTime({ requestsInTime }: InvocationStart): string {
  return requestsInTime === undefined ? '' : `, with time for ${requestsInTime} requests`;
}

function writeText(write: Write, itemText: ItemText): string {
  if ('put' in write) return `puts ${itemText(write.put)}${onText(write.on)}`;
  if ('delete' in write) return `deletes ${keyText(write.delete)}`;
  const set = Object.keys(write.set).length === 0 ? '' : ` set ${itemText(write.set)}`;
  const remove = write.remove.length === 0 ? '' : ` remove ${write.remove.join()}`;
  return `updates ${keyText(write.update)}${set}${remove}${onText(write.on)}`;
}

function onText(on: Condition | undefined): string {
  return on === undefined ? '' : ` if ${typeof on === 'string' ? on : JSON.stringify(on)}`;
}
