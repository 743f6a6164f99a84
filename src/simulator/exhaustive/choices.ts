import { createHash } from 'node:crypto';
import { type Item, keyIn, keyText } from '../../model/items/item.ts';
import type { BatchInProgress } from '../world/deliveries.ts';
import { type Step, stepText, type Write } from '../world/step.ts';
import type { World } from '../world/world.ts';

/** How far a run is: the changes that each application has made, and how many faults there may still be. */
export interface Left {
  readonly changes: readonly number[];
  readonly faults: number;
}

export interface Choice {
  readonly step: Step;
  /** The same for the same step, whatever else has happened before it. */
  readonly text: string;
  /** Who takes it: steps of one actor are never independent. */
  readonly actor: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly application?: number;
  /** A batch or a message that comes twice, a crashed invocation, a request that is throttled. */
  readonly isFault?: true;
}

/** Whether either order of two steps leads to the same state, and neither makes the other impossible. */
export function areIndependent(one: Choice, other: Choice): boolean {
  if (one.actor === other.actor || one.actor === 'time' || other.actor === 'time') return false;
  const touches = (a: readonly string[], b: readonly string[]) =>
    a.some((left) => b.some((right) => left === right || left === '*' || right === '*'));
  return (
    !touches(one.writes, other.writes) &&
    !touches(one.writes, other.reads) &&
    !touches(one.reads, other.writes)
  );
}

/** Every step that the world can take now. */
export function choicesIn(
  world: World,
  applications: readonly (readonly Write[])[],
  left: Left,
): readonly Choice[] {
  const running = world.deliveries;
  const usual = [
    ...applications.flatMap((writes, index) => nextWrite(world, writes, index, left.changes[index] ?? 0)),
    ...running.flatMap((one) => served(world, one)),
    ...readsOf(world),
    ...receives(world),
    ...expiries(world),
    ...waits(world),
  ];
  if (left.faults === 0) return usual;
  const faults = [
    ...running.flatMap((one) => [...served(world, one, 'throttled'), ...crashes(world, one)]),
    ...duplicates(world),
  ];
  return [...usual, ...faults];
}

function choice(
  step: Step,
  actor: string,
  { reads = [], writes = [] }: Partial<Choice>,
  more: Partial<Choice> = {},
): Choice {
  const budget = more.isFault ? ['faults'] : [];
  return { step, text: stepText(step), actor, reads, writes: [...writes, ...budget], ...more };
}

function nextWrite(world: World, writes: readonly Write[], application: number, done: number): Choice[] {
  const write = writes[done];
  if (write === undefined) return [];
  const who = `application ${application + 1}`;
  const { names } = world.table;
  const key = 'put' in write ? keyIn(names, write.put) : 'delete' in write ? write.delete : write.update;
  return [
    choice({ do: 'write', who, writes: [write] }, who, written(world, key.pk, keyText(key)), { application }),
  ];
}

/** The oracle sees writes of two items in their order. */
function written({ stream }: World, pk: string, key: string): Partial<Choice> {
  return {
    writes: ['history', `log ${stream.shardOf(key)}`, `item ${key}`, `partition ${pk}`, 'indexes'],
  };
}

function served(world: World, delivery: BatchInProgress, fault?: 'throttled'): Choice[] {
  const { name, pending } = delivery.invocation;
  const texts = [...new Set(pending.map(({ text }) => text))];
  return texts
    .filter((text) => fault === undefined || !text.startsWith('sleep '))
    .map((request) => {
      const given = { invocation: name, request, fault, more: 0 };
      return choice({ do: 'serve', ...given }, name, touched(world, delivery, request), fault && faulty);
    });
}

/** What a request reads and writes. With the last one, the invocation ends, and the position on its shard moves. */
function touched(world: World, { shard }: BatchInProgress, request: string | undefined): Partial<Choice> {
  const { reads = [], writes = [] } = request === undefined ? {} : touchedBy(world, request);
  if (shard === undefined) return { reads, writes };
  return { reads, writes: [...writes, `position ${world.stream.shards.propagate.indexOf(shard)}`] };
}

function touchedBy(world: World, request: string): Partial<Choice> {
  const [verb = '', about = ''] = /^(\S+) (.*)$/.exec(request)?.slice(1) ?? [];
  if (verb === 'get' || verb === 'read') return { reads: [`item ${about}`] };
  if (verb === 'query')
    return { reads: [about.startsWith('["index"') ? 'indexes' : `partition ${partitionIn(about)}`] };
  if (verb === 'update') return written(world, JSON.parse(about)[0], about);
  if (verb === 'remove' || verb === 'create') {
    const [pk] = JSON.parse(about);
    const { writes = [] } = written(world, pk, about);
    // A transaction has a condition on another item, or, in a ledger, writes the head beside an entry.
    return {
      reads: world.table.items().map((item) => `item ${textOf(world, item)}`),
      writes: [...writes, ...headWritten(world, pk)],
    };
  }
  return { writes: [verb === 'send' || verb === 'dead-letter' ? 'queue' : '*'] };
}

function headWritten(world: World, pk: string): readonly string[] {
  return (pk.startsWith('~') && written(world, pk, keyText({ pk, sk: 'head' })).writes) || [];
}

function partitionIn(query: string): string {
  const location: unknown = JSON.parse(
    query.slice(0, query.lastIndexOf(']', query.search(/ (from|after) /)) + 1),
  );
  return Array.isArray(location) ? String(location[2]) : '';
}

function textOf({ table }: World, item: Item): string {
  return keyText(keyIn(table.names, item));
}

const faulty = { isFault: true } as const;

/** The next records of each shard: one, or all that are there. */
function readsOf({ stream }: World): Choice[] {
  return stream.shards.propagate.flatMap(({ log, position, current }, shard) => {
    const more = log.length - position;
    if (more === 0 || current !== undefined) return [];
    return [...new Set([1, more])].map((most) => reading(shard, position, 'next', most));
  });
}

function reading(shard: number, position: number, again: 'next' | 'doubled' | 'older', most = 1): Choice {
  const isNext = again === 'next';
  const name = `P${shard}@${position}${isNext ? '' : ` ${again}`}`;
  const given = { reader: 'propagate', shard, most, again, back: isNext ? 0 : 1, name } as const;
  const about = { reads: [`log ${shard}`], writes: [`position ${shard}`] };
  return choice({ do: 'read', ...given }, name, about, isNext ? {} : faulty);
}

function receives({ queue }: World): Choice[] {
  const bodies = queue.due().map(({ body, receives: times }) => `${body}${times}`);
  return [...new Set(bodies)].map((body) => {
    const name = `F${digestOf(body)}`;
    const given = { skip: bodies.indexOf(body), most: 1, name };
    return { ...choice({ do: 'receive', ...given }, name, { writes: ['queue'] }), text: `receive ${name}` };
  });
}

function digestOf(body: string): string {
  return createHash('md5').update(body).digest('hex').slice(0, 6);
}

function expiries(world: World): Choice[] {
  const { table } = world;
  return table.due().map((item) => {
    const key = keyIn(table.names, item);
    return choice({ do: 'expire', key }, 'service', written(world, key.pk, keyText(key)));
  });
}

/** Until the next thing is due. An invocation that stalled for so long would have timed out. */
function waits({ queue, table, clock, deliveries }: World): Choice[] {
  const due = [queue.nextDue(), table.indexes.settledAt()].filter((time) => time !== undefined);
  const next = Math.min(...due.filter((time) => time > clock.now)) - clock.now;
  if (!Number.isFinite(next) || deliveries.length > 0) return [];
  return [choice({ do: 'wait', milliseconds: next }, 'time', { writes: ['*'] })];
}

function crashes(world: World, delivery: BatchInProgress): Choice[] {
  const { name, pending } = delivery.invocation;
  // After a read, it is as if nothing had been served.
  const texts = pending.map(({ text }) => text).filter((text) => !/^(get|read|query) /.test(text));
  return [undefined, ...new Set(texts)].map((request) => {
    const about = touched(world, delivery, request);
    return choice({ do: 'crash', invocation: name, served: request }, name, about, faulty);
  });
}

/** A batch that is given a second time while it is worked on, or again later, and a message that comes once more. */
function duplicates({ stream, queue }: World): Choice[] {
  const batches = stream.shards.propagate.flatMap(({ current, position }, shard) => [
    ...(current === undefined ? [] : [reading(shard, position, 'doubled')]),
    ...(position === 0 ? [] : [reading(shard, position, 'older')]),
  ]);
  const bodies = queue.delivered.toReversed();
  const messages = [...new Set(bodies)].map((body) => {
    const step = { do: 'duplicate-message', back: bodies.indexOf(body) } as const;
    return { ...choice(step, 'queue', { writes: ['queue'] }, faulty), text: `duplicate ${digestOf(body)}` };
  });
  return [...batches, ...messages];
}
