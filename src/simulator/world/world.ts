import { createHash } from 'node:crypto';
import { type ItemKey, keyAttributes, keyIn, keyText, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import { type Pauses, pauseAttribute, pausesKey } from '../../model/rules/pauses.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { isRefused } from '../../testing/table-model/impossible-item.ts';
import { countedNonces, ModelArchive, ModelNotes } from '../../testing/table-model/model-archive.ts';
import { type Committed, ModelTable } from '../../testing/table-model/model-table.ts';
import { pausesReader } from '../../worker/pauses.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { FaultProfile } from '../fault-profile.ts';
import { Findings } from '../oracle/findings.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { checkSwept } from '../oracle/sweeps.ts';
import { Clock } from './clock.ts';
import { type BatchInProgress, Deliveries } from './deliveries.ts';
import { Deployments, type RulesOfRun } from './deployments.ts';
import type { Fault } from './fault-kinds.ts';
import { Invocation, isStepOfItsOwn, type PendingRequest, type Task } from './invocation.ts';
import { LateEffects } from './late-effects.ts';
import { partitionCapacity } from './requested-table.ts';
import { SimulatedQueue } from './simulated-queue.ts';
import { readers, SimulatedStream } from './simulated-stream.ts';
import { allOthers, bystander, type InvocationStart, type Step, type Write } from './step.ts';
import { type Functions, realFunctions } from './worker-under-test.ts';

/** The world around the worker: table, stream, indexes, queue, archive and clock, all still until a step is taken. */
export class World {
  readonly clock = new Clock();
  readonly findings: Findings;
  readonly archive = new ModelArchive();
  readonly notes = new ModelNotes();
  readonly queue: SimulatedQueue;
  readonly table: ModelTable;
  readonly deployments: Deployments;
  readonly profile: FaultProfile;
  readonly counts = { written: 0, lost: 0 };
  readonly nonce = countedNonces();
  readonly admits: (pk: string) => boolean;
  readonly stream: SimulatedStream;
  /** Copies that came onto an index later than the recheck delay allows for. */
  readonly lateOnIndexes = new Set<string>();
  readonly writtenLate = new Set<string>();
  /** Rules that are paused, with since when, in epoch milliseconds; and all that ever were. */
  readonly pausedSince = new Map<string, number>();
  readonly everPaused = new Set<string>();
  readonly pauses: (table: Pick<TablePort, 'get'>) => Promise<Pauses>;
  readonly late: LateEffects;
  readonly hash = createHash('sha256');
  served = 0;
  readonly invocations: Deliveries;
  /** Time passes only where a step says so, and invocations remember what they were answered. */
  private readonly isStill: boolean;
  private skew = 0;
  private awayUntil = 0;

  constructor(
    { profile, ...rules }: RulesOfRun & { readonly profile: FaultProfile },
    functions: Functions = realFunctions,
    isStill = false,
  ) {
    this.isStill = isStill;
    this.profile = profile;
    this.late = new LateEffects(this.clock, profile.effectsWithin);
    this.findings = new Findings(rules.registry);
    this.queue = new SimulatedQueue(this.clock, this.findings);
    this.table = new ModelTable(rules.registry.table, () => this.clock.now);
    this.admits = partitionCapacity(profile.partitionUnits, this.clock, this.findings);
    this.deployments = new Deployments(rules, this);
    this.invocations = new Deliveries(this, functions);
    this.stream = new SimulatedStream(rules.registry, profile.shards);
    this.table.watcher = (change) => this.note(change);
    this.pauses = pausesReader(rules.registry.table, { now: () => this.clock.now });
  }

  /** @returns whether the step could be taken */
  async take(step: Step): Promise<boolean> {
    const passes = this.isStill ? 0 : 1;
    this.clock.now += passes;
    this.invocations.timeOut();
    if (!this.apply(step)) {
      this.clock.now -= passes;
      return false;
    }
    this.hash.update(`${step.do}${'name' in step ? step.name : ''}`);
    if (step.do === 'serve')
      for (let left = step.more; left > 0; left -= 1) {
        await quiet();
        const next = this.invocations.find(step.invocation)?.invocation.pending[0];
        if (next === undefined || (step.more < allOthers && isStepOfItsOwn(next, this.profile.stalling)))
          break;
        this.serve(next, undefined);
      }
    await quiet();
    this.invocations.collect();
    return true;
  }

  get registry(): Registry {
    return this.deployments.registry;
  }

  get oracle(): Oracle {
    return this.deployments.oracle;
  }

  get deliveries(): readonly BatchInProgress[] {
    return this.invocations.running;
  }

  isAway(): boolean {
    return this.clock.now < this.awayUntil;
  }

  private start(invocation: Invocation, given: Partial<BatchInProgress>): void {
    const nothing = { shard: undefined, messages: [], records: [], reader: undefined };
    this.invocations.start({ invocation, since: this.clock.now, ...nothing, ...given });
  }

  private apply(step: Step): boolean {
    switch (step.do) {
      case 'write':
        write(this, step);
        return true;
      case 'deploy':
        return deploy(this);
      case 'expire':
        return expire(this, step.key);
      case 'wait':
        this.clock.now += step.milliseconds;
        return true;
      case 'conditions':
        this.table.indexes.lag = step.lag;
        this.queue.latenessMs = step.lateness;
        this.skew = step.skew;
        return true;
      case 'stream':
        if (!this.stream.turnTo(step.label)) return false;
        this.clock.now += 1000;
        this.findings.fault('streams that take over');
        return true;
      case 'outage':
        this.findings.fault('outages');
        this.awayUntil = this.clock.now + step.milliseconds;
        return true;
      case 'read':
        return this.read(step);
      case 'receive': {
        const messages = this.queue.receive(step.skip, step.most, step.again);
        if (messages.length === 0) return false;
        if (step.again) this.findings.fault('messages given to two invocations', messages.length);
        this.start(this.invocation(step, 'fan-out'), { messages });
        return true;
      }
      case 'sweep':
        this.start(this.invocation(step, 'sweep'), {});
        return true;
      case 'duplicate-message':
        if (!this.queue.double(step.back)) return false;
        this.findings.fault('messages that come twice');
        return true;
      case 'serve': {
        const request = this.invocations
          .find(step.invocation)
          ?.invocation.pending.find(({ text }) => step.request === undefined || text === step.request);
        if (request !== undefined) this.serve(request, step.fault);
        return request !== undefined;
      }
      case 'crash':
        return this.crash(step.invocation, step.served);
      case 'take-effect':
        if (!this.late.take(step.request)) return false;
        this.findings.fault('effects after a time-out');
        return true;
      case 'malformed-record':
        if (!this.stream.addMalformed(step.shard)) return false;
        this.findings.fault('unreadable records');
        return true;
      case 'malformed-message':
        this.findings.fault('unreadable messages');
        this.queue.addMalformed(step.body);
        return true;
      case 'redrive':
        return this.redrive();
      case 'repair':
        this.queue.repair(step.rule, step.root);
        return true;
      case 'pause':
        return this.pause(step.rule);
    }
  }

  private serve(request: PendingRequest, fault: Fault | undefined): void {
    this.served += 1;
    this.hash.update(`${request.text}${fault}`);
    if (fault !== undefined) this.findings.fault(`${fault} requests`);
    request.serve(fault);
  }

  private read(step: Extract<Step, { do: 'read' }>): boolean {
    const shard = this.stream.shards[step.reader][step.shard];
    if (shard === undefined) return false;
    const invocation = this.invocation(step, step.reader);
    const batch = shard.batch(step.again, step.most, step.back);
    if (batch === undefined) return false;
    if (step.again !== 'next')
      this.findings.fault(
        `batches ${step.again === 'older' ? 'of older records again' : 'given to two invocations'}`,
      );
    const own = step.again === 'older' ? undefined : shard;
    if (own !== undefined) own.current = { invocation, ...batch };
    const records = shard.log.slice(batch.from, batch.to);
    this.start(invocation, { shard: own, records, reader: step.reader });
    return true;
  }

  private invocation({ name, requestsInTime }: InvocationStart, task: Task): Invocation {
    return new Invocation(name, task, requestsInTime, this.isStill);
  }

  private crash(name: string, served: string | undefined): boolean {
    const delivery = this.invocations.find(name);
    if (delivery === undefined) return false;
    const last = delivery.invocation.pending.find(({ text }) => text === served);
    if (last !== undefined) this.serve(last, undefined);
    this.findings.fault(last === undefined ? 'crashed invocations' : 'crashed invocations after a request');
    this.invocations.crash(delivery);
    return true;
  }

  private pause(rule: string | undefined): boolean {
    const { names } = this.table;
    const key = pausesKey(names);
    if (key === undefined || (rule === undefined ? this.pausedSince.size === 0 : this.pausedSince.has(rule)))
      return false;
    if (rule === undefined) this.pausedSince.clear();
    else {
      this.pausedSince.set(rule, this.clock.now);
      this.everPaused.add(rule);
      this.findings.fault('paused rules');
    }
    const since = [...this.pausedSince].map(([name, at]) => [pauseAttribute(name), { S: String(at) }]);
    this.table.put({ ...keyAttributes(names, key), ...Object.fromEntries(since) });
    return true;
  }

  private redrive(): boolean {
    const deadLetters = this.queue.redrive();
    const records = this.invocations.undelivered.splice(0);
    for (const reader of readers) {
      const own = records.filter((one) => one.reader === reader).map(({ record }) => record);
      const [first] = own;
      if (first === undefined) continue;
      // Outside of the order of any shard.
      this.start(new Invocation(`redrive ${reader} ${first.id}`, reader), { records: own, reader });
    }
    return deadLetters + records.length > 0;
  }

  private note(change: Committed): void {
    this.stream.note(change, this.skew);
    this.hash.update(`${change.by}${keyText(change.key)}${JSON.stringify(change.after)}`);
    const { lag } = this.table.indexes;
    if (lag > 0) this.findings.fault('changes late on indexes');
    if (lag > this.profile.settings.recheckDelaySeconds * 1000) this.lateOnIndexes.add(keyText(change.key));
    if (change.by === 'sweep') checkSwept(this, change);
    this.deployments.note(change);
  }
}

/** Resolves when everything that can go on without a request being served has gone on. */
function quiet(): Promise<void> {
  return new Promise((done) => process.nextTick(done));
}

interface Surroundings {
  readonly table: ModelTable;
  readonly queue: SimulatedQueue;
  readonly deployments: Deployments;
  readonly findings: Findings;
  readonly profile: FaultProfile;
}

function write({ table, deployments }: Surroundings, { who, writes }: Extract<Step, { do: 'write' }>): void {
  for (const one of writes) {
    if (who === bystander && 'put' in one) deployments.protect(one.put);
    takeWrite(table, one);
  }
}

/** What DynamoDB would refuse has no effect. */
function takeWrite(table: ModelTable, one: Write): void {
  isRefused(() => {
    if ('put' in one) table.put(one.put, one.on);
    else if ('delete' in one) table.delete(one.delete);
    else table.update(one.update, one, one.on);
  });
}

/** @returns false if its time has not passed */
function expire({ table }: Surroundings, key: ItemKey): boolean {
  const isDue = table.due().some((item) => sameKey(keyIn(table.names, item), key));
  if (isDue) table.expire(key);
  return isDue;
}

/**
 * A repair of every root comes later: when invocations by the rules before have ended, and indexes show all copies.
 * @returns false if there are no other rules
 */
function deploy({ deployments, findings, table, queue, profile }: Surroundings): boolean {
  if (!deployments.swap()) return false;
  findings.fault('deployments of other rules');
  const delay = 60 + profile.settings.recheckDelaySeconds;
  for (const item of table.items())
    for (const { name, root } of deployments.registry.rules)
      if (isOfKind(root, item)) queue.repair(name, keyIn(table.names, item), delay);
  return true;
}
