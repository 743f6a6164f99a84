import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { Item, ItemKey } from '../../../model/item.ts';
import type { Random } from './random.ts';
import type { Step, Write } from './world/step.ts';
import type { World } from './world/world.ts';

/** Something that an application does: writes that take effect together, in their order; none where it cannot. */
export type Operation = (workload: Workload) => readonly Write[];

/** The operations of an application, and how often it does each, compared with its others. */
export type Operations = readonly (readonly [weight: number, act: Operation])[];

/** Whoever writes to the table beside the worker. */
export interface Applications {
  /** What one does at the beginning: it puts what it works on. */
  open(): Step | undefined;
  /** What one does next; undefined if it cannot. */
  write(): Step | undefined;
  /** What somebody writes where the worker is about to write; nothing if they cannot. */
  interfere(): readonly Write[];
}

const names = ['ann', 'bob', 'cy'] as const;

/** What an application sees of the world, which may be out of date, and what it makes up. */
export class Workload {
  readonly random: Random;
  readonly world: World;
  private counter = 0;

  constructor(random: Random, world: World) {
    this.random = random;
    this.world = world;
  }

  now(key: ItemKey): Item | undefined {
    return this.world.table.read(key);
  }

  /** The item as the application read it, now or some versions ago. */
  seen(key: ItemKey): Item | undefined {
    if (!this.random.chance(this.world.profile.staleness)) return this.now(key);
    const versions = this.world.oracle.lives.of(key);
    return versions.length === 0 ? undefined : this.random.pick(versions.slice(-4)).item;
  }

  /** A value that was not there before; now and then one that was. */
  fresh(): string {
    if (this.random.chance(0.2)) return this.random.pick(names);
    this.counter += 1;
    return `v${this.counter}`;
  }

  /** A number, sometimes one that a JavaScript number cannot hold, or another spelling of one. */
  freshNumber(): AttributeValue {
    this.counter += 1;
    return this.random.pick<AttributeValue>([
      { N: String(this.counter) },
      { N: `${this.counter}.50` },
      { N: `12345678901234567890123456789012345${this.counter % 10}` },
      { N: `1E${this.counter % 3}` },
    ]);
  }

  /** A value of any type. */
  freshValue(): AttributeValue {
    this.counter += 1;
    const { counter } = this;
    return this.random.pick<AttributeValue>([
      { S: this.fresh() },
      { S: '' },
      this.freshNumber(),
      { SS: counter % 2 === 0 ? ['x', 'y', `z${counter % 3}`] : [`z${counter % 3}`, 'y', 'x'] },
      { B: new Uint8Array([counter % 4, 255]) },
      { L: [{ N: String(counter % 3) }, { BOOL: counter % 2 === 0 }, { NULL: true }] },
      { M: { inner: { N: '1.0' }, deep: { S: `d${counter % 3}` } } },
      { NS: counter % 2 === 0 ? ['1', '2.0'] : ['2', '1.0'] },
    ]);
  }

  /** The same value, spelled another way where it can be: to DynamoDB, they are equal. */
  respelled(value: AttributeValue): AttributeValue {
    if (!this.random.chance(0.3)) return value;
    if ('N' in value && !value.N.includes('E'))
      return { N: value.N.includes('.') ? `${value.N}0` : `${value.N}.0` };
    return 'SS' in value ? { SS: [...value.SS].reverse() } : value;
  }

  /** Another value of the same type that differs as little as can be. */
  nudged(value: AttributeValue): AttributeValue {
    const digit = String(this.random.int(0, 9));
    if ('N' in value) return { N: `${value.N.replace(/E.*$/, '').slice(0, -1)}${digit}` };
    if ('B' in value) return { B: new Uint8Array([this.random.int(0, 3), ...value.B.slice(1)]) };
    if ('SS' in value) return { SS: [...new Set([...value.SS.slice(1), `z${digit}`])] };
    if ('M' in value) return { M: { ...value.M, inner: { N: digit } } };
    return 'L' in value ? { L: [...value.L, { N: digit }] } : this.freshValue();
  }

  /** A little change to one of these attributes of an item that is there. */
  nudge(key: ItemKey, attributes: readonly string[]): readonly Write[] {
    const there = this.now(key);
    const name = this.random.pick(attributes);
    const value = there?.[name];
    return value === undefined ? [] : [set(key, { [name]: this.nudged(value) })];
  }

  /** An expiry a little before or after now, in epoch seconds. */
  expiry(): AttributeValue {
    return { N: String(this.world.clock.seconds() + this.random.int(-5, 60)) };
  }
}

/** Content of an item, as it stands on a copy: each value maybe spelled another way. */
export function copied(workload: Workload, entries: readonly (readonly [string, AttributeValue])[]): Item {
  return Object.fromEntries(entries.map(([name, value]) => [name, workload.respelled(value)]));
}

export function text(value: string): AttributeValue {
  return { S: value };
}

/** The item without these attributes. */
export function without(item: Item, attributes: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !attributes.includes(name)));
}

export function put(item: Item): Write {
  return { put: item };
}

/** Sets attributes of an item that is there. */
export function set(key: ItemKey, attributes: Readonly<Record<string, AttributeValue>>): Write {
  return { update: key, set: attributes, remove: [], on: 'exists' };
}

/** Removes attributes of an item that is there. */
export function drop(key: ItemKey, ...attributes: string[]): Write {
  return { update: key, set: {}, remove: attributes, on: 'exists' };
}
