import type { ItemKey } from '../../model/items/item.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import { type QueueRecord, readMessage } from '../../worker/propagation/fan-out-batch.ts';
import type { Findings } from '../oracle/findings.ts';
import type { Clock } from './clock.ts';

interface Waiting {
  readonly id: string;
  readonly body: string;
  due: number;
  receives: number;
  inFlight: boolean;
}

/** Deliveries after which a message goes to the dead letters. */
const maxReceives = 4;

/** How long a message that failed, or whose invocation crashed, is not delivered again. */
const visibilityTimeoutMs = 30_000;

/** Several messages with more characters than this are parts of one that was too large. */
const longBody = 30_000;

/** Late, at least once, without an order. */
export class SimulatedQueue {
  latenessMs = 0;
  sent = 0;
  readonly deadLettered: DeadLetter[] = [];
  readonly deadLetteredRecords = new Set<string>();
  /** Bodies of messages that ask for no propagation and are not among the dead letters yet, by the ids under which they lie there. */
  readonly malformedMessages = new Map<string, string>();
  readonly dead: { readonly id: string; readonly body: string }[] = [];
  /** Bodies of messages that were delivered and deleted. */
  readonly delivered: string[] = [];
  private waiting: Waiting[] = [];
  private readonly clock: Clock;
  private readonly findings: Findings;

  constructor(clock: Clock, findings: Findings) {
    this.clock = clock;
    this.findings = findings;
  }

  now(): number {
    return this.clock.now;
  }

  repair(rule: string, root: ItemKey, delaySeconds = 0): void {
    this.send([{ rule, root, cause: 'repair', attempts: 0 }], delaySeconds);
  }

  send(messages: readonly Message[], delaySeconds = 0): void {
    const bodies = messages.map((message) => JSON.stringify(message));
    if (bodies.filter(({ length }) => length > longBody).length > 1) this.findings.rare('messages split');
    for (const body of bodies) this.put(body, delaySeconds * 1000 + this.latenessMs);
  }

  deadLetter(deadLettered: readonly DeadLetter[], by: string): void {
    this.deadLettered.push(...deadLettered);
    for (const { code, record, message } of deadLettered) {
      if (code === 'copy.too-large') this.findings.rare('copies dead-lettered as too large');
      if (code === 'record.unreadable') this.deadLetteredRecords.add(`${by} ${record}`);
      if (code !== 'rule.unknown') continue;
      for (const [id, body] of this.malformedMessages)
        if (body === JSON.stringify(message)) this.malformedMessages.delete(id);
    }
  }

  addMalformed(body: string): void {
    this.put(body, this.latenessMs);
    this.malformedMessages.set(`m${this.sent}`, body);
  }

  due(): readonly Waiting[] {
    return this.waiting.filter(({ due, inFlight }) => due <= this.clock.now && !inFlight);
  }

  inFlight(): readonly Waiting[] {
    return this.waiting.filter(({ inFlight }) => inFlight);
  }

  nextDue(): number | undefined {
    const times = this.waiting.filter(({ inFlight }) => !inFlight).map(({ due }) => due);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * All that decides what comes of it, whatever the order in which messages were sent.
   * @param mayDouble whether a message may come twice
   */
  state(mayDouble: boolean): unknown {
    const { now } = this.clock;
    const waiting = this.waiting.map(({ body, due, receives, inFlight }) =>
      JSON.stringify([body, Math.max(0, due - now), receives, inFlight]),
    );
    const delivered = mayDouble ? [...this.delivered].sort() : [];
    return [waiting.sort(), delivered, this.dead.map(({ body }) => body), this.deadLettered];
  }

  messages(): Message[] {
    return this.waiting.flatMap(({ body }) => readMessage(body) ?? []);
  }

  /** @param again those that another invocation is working on, instead of those that wait */
  receive(skip: number, most: number, again = false): QueueRecord[] {
    const due = again ? this.inFlight() : this.due();
    const received = due.slice(due.length === 0 ? 0 : skip % due.length).slice(0, most);
    for (const one of received) {
      one.inFlight = true;
      one.receives += 1;
    }
    return received.map(({ id, body }) => ({ id, body }));
  }

  correct(records: readonly QueueRecord[], failed: (id: string) => boolean): void {
    for (const { id, body } of records) {
      const one = this.waiting.find((waiting) => waiting.id === id);
      if (one === undefined) continue;
      if (failed(id) && one.receives < maxReceives) {
        one.inFlight = false;
        one.due = this.clock.now + visibilityTimeoutMs;
        continue;
      }
      this.waiting = this.waiting.filter((waiting) => waiting !== one);
      if (failed(id)) {
        this.dead.push({ id, body });
        this.malformedMessages.delete(id);
      } else this.delivered.push(body);
    }
  }

  /**
   * A message that was delivered, seen to and deleted comes once more.
   * @returns false where there is none
   */
  double(back: number): boolean {
    const body = this.delivered.at(-1 - back);
    if (body === undefined) return false;
    this.put(body, 0);
    return true;
  }

  /** @returns how many dead letters are sent again: those that can be read */
  redrive(): number {
    const dead = this.dead.splice(0);
    const deadLetters = [
      ...dead.flatMap(({ body }) => (readMessage(body) === undefined ? [] : [body])),
      ...this.deadLettered.flatMap(({ message }) => (message ? [JSON.stringify(message)] : [])),
    ];
    // What requests no propagation stays, for a person.
    this.deadLettered.splice(
      0,
      Infinity,
      ...this.deadLettered.filter(({ message }) => message === undefined),
    );
    for (const body of deadLetters)
      this.put(JSON.stringify({ ...JSON.parse(body), attempts: 0, unavailableSince: undefined }), 0);
    return deadLetters.length;
  }

  private put(body: string, delay: number): void {
    this.sent += 1;
    const due = this.clock.now + delay;
    this.waiting.push({ id: `m${this.sent}`, body, due, receives: 0, inFlight: false });
  }
}
