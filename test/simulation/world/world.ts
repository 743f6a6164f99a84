import { readStreamRecord } from '../../../src/adapters/stream-record.ts';
import type { StreamRecord } from '../../../src/batch/group.ts';
import { eventFilter } from '../../../src/dev/event-source/event-filter.ts';
import { FatalError } from '../../../src/model/errors.ts';
import { keyText } from '../../../src/model/item.ts';
import { archiveFilters, propagateFilters } from '../../../src/model/mapping-filters.ts';
import { makeRegistry, type Registry } from '../../../src/model/registry.ts';
import { loadRules } from '../../application/load-rules.ts';
import { lambdaChange } from '../../table-model/lambda-change.ts';
import { ModelArchive } from '../../table-model/model-archive.ts';
import { ModelNotes } from '../../table-model/model-notes.ts';
import { type Committed, ModelTable } from '../../table-model/model-table.ts';
import { boardOnPins } from '../boards-rule.ts';
import { Judge } from '../oracle/judge.ts';
import { relations } from '../oracle/relations.ts';
import { judgeAcknowledged, judgeHops, judgeMessages } from '../oracle/requeue-oracle.ts';
import { judgeSwept } from '../oracle/sweep-oracle.ts';
import { Verdict } from '../oracle/verdict.ts';
import { archivesOfVault } from '../vault-rules.ts';
import { applyExpiry, applyWrite } from './apply-write.ts';
import type { Climate } from './climate.ts';
import { Clock } from './clock.ts';
import { type Fault, Invocation, type PendingRequest } from './invocation.ts';
import { ShardReader } from './reader.ts';
import { SimulatedQueue } from './simulated-queue.ts';
import { allOthers, type ReaderName, type Step } from './step.ts';
import { TraceHash } from './trace-hash.ts';
import { type Batch, type Functions, realFunctions, WorkerUnderTest } from './worker-under-test.ts';

const readers: readonly ReaderName[] = ['propagate', 'archive'];

/** What an invocation was given, and what becomes of its answer. */
interface Delivery extends Batch {
  readonly shard: ShardReader | undefined;
  /** Whether its answer counts: a batch given a second time is answered by the latest. */
  readonly reader: ReaderName | undefined;
}

/** The world around the worker: table, stream, indexes, queue, archive and clock, all in one place and all of it still until a step is taken. */
export class World {
  readonly clock = new Clock();
  readonly verdict = new Verdict();
  readonly archive = new ModelArchive();
  readonly notes = new ModelNotes();
  readonly queue = new SimulatedQueue(this.clock);
  readonly table: ModelTable;
  readonly judge: Judge;
  readonly registry: Registry;
  readonly climate: Climate;
  readonly counts = { written: 0, idle: 0, lost: 0 };
  readonly shards: Readonly<Record<ReaderName, readonly ShardReader[]>>;
  /** Copies that came onto an index later than the recheck delay allows for. */
  readonly late = new Set<string>();
  /** Records that went whole to the on-failure destination, by the function that could not see to them. */
  readonly undelivered: { readonly reader: ReaderName; readonly record: StreamRecord }[] = [];
  /** Objects that an invocation had put or erased when it was cut off. */
  readonly cutShort = new Set<string>();
  /** Records that nobody can read. */
  readonly garbled: string[] = [];
  readonly hash = new TraceHash();
  readonly faults = new Map<string, number>();
  /** Requests served so far. */
  served = 0;
  deliveries: Delivery[] = [];
  private readonly worker: WorkerUnderTest;
  /** What the filter of each function lets pass. */
  private readonly passes: Readonly<Record<ReaderName, (record: unknown) => boolean>>;
  private skew = 0;
  private awayUntil = 0;

  constructor(climate: Climate, functions: Functions = realFunctions) {
    this.climate = climate;
    this.worker = new WorkerUnderTest(functions);
    const own = loadRules({ statusShards: climate.statusShards, disabled: [] });
    this.registry = makeRegistry(
      own.table,
      [...own.rules, boardOnPins],
      [...own.archives, ...archivesOfVault],
    );
    this.table = new ModelTable(own.table, () => this.clock.now);
    this.judge = new Judge(relations(climate.statusShards), this.table, this.verdict);
    this.passes = {
      propagate: eventFilter(propagateFilters(this.registry)),
      archive: eventFilter(archiveFilters(this.registry)),
    };
    const shards = () => Array.from({ length: climate.shards }, () => new ShardReader());
    this.shards = { propagate: shards(), archive: shards() };
    this.table.watcher = (change) => this.note(change);
  }

  /** Takes a step. @returns whether it could be taken */
  async take(step: Step): Promise<boolean> {
    this.clock.now += 1;
    const taken = this.act(step);
    if (!taken) {
      this.clock.now -= 1;
      return false;
    }
    this.hash.add(`${step.do}${'name' in step ? step.name : ''}`);
    if (step.do === 'serve')
      for (let left = step.more; left > 0; left -= 1) {
        await quiet();
        const next = this.find(step.invocation)?.pending[0];
        // A removal is a step of its own: there are few, and others are to have a chance before it.
        if (next === undefined || (step.more < allOthers && next.text.startsWith('remove '))) break;
        this.serve(next, undefined);
      }
    await quiet();
    this.collect();
    return true;
  }

  find(name: string): Invocation | undefined {
    return this.deliveries.find(({ invocation }) => invocation.name === name)?.invocation;
  }

  /** Whether the table serves nobody. */
  isAway(): boolean {
    return this.clock.now < this.awayUntil;
  }

  /** Gives records to a function, outside of the order of any shard. */
  deliver(reader: ReaderName, records: readonly StreamRecord[], name: string): void {
    this.start({ invocation: new Invocation(name, reader), shard: undefined, messages: [], records, reader });
  }

  private act(step: Step): boolean {
    switch (step.do) {
      case 'write':
        for (const write of step.writes) applyWrite(this.table, write);
        return true;
      case 'expire':
        return applyExpiry(this.table, step.key, this.clock.seconds());
      case 'wait':
        this.clock.now += step.milliseconds;
        return true;
      case 'weather':
        this.table.indexes.lag = step.lag;
        this.queue.lateness = step.lateness;
        this.skew = step.skew;
        return true;
      case 'outage':
        this.count('outages');
        this.awayUntil = this.clock.now + step.milliseconds;
        return true;
      case 'read':
        return this.read(step);
      case 'receive': {
        const messages = this.queue.receive(step.skip, step.most);
        if (messages.length === 0) return false;
        const invocation = new Invocation(step.name, 'fan-out', step.requestsInTime);
        this.start({ invocation, shard: undefined, messages, records: [], reader: undefined });
        return true;
      }
      case 'sweep': {
        const invocation = new Invocation(step.name, 'sweep', step.requestsInTime);
        this.start({ invocation, shard: undefined, messages: [], records: [], reader: undefined });
        return true;
      }
      case 'double':
        if (!this.queue.double(step.back)) return false;
        this.count('messages that come twice');
        return true;
      case 'serve': {
        const request = this.find(step.invocation)?.pending.find(
          ({ text }) => step.request === undefined || text === step.request,
        );
        if (request !== undefined) this.serve(request, step.fault);
        return request !== undefined;
      }
      case 'cut':
        return this.cut(step.invocation, step.served);
      case 'garble':
        return this.garble(step.shard);
      case 'scrawl':
        this.count('unreadable messages');
        this.queue.scrawl(step.body);
        return true;
      case 'redrive':
        return this.redrive();
      case 'repair':
        this.queue.send([{ rule: step.rule, root: step.root, cause: 'repair', attempts: 0 }]);
        return true;
    }
  }

  private garble(shard: number): boolean {
    if (this.shards.propagate[shard] === undefined) return false;
    this.count('unreadable records');
    const record = `garbled ${this.garbled.length}`;
    this.garbled.push(record);
    const unreadable = { id: record, says: { unreadable: 'Expected a stream record of DynamoDB', record } };
    for (const reader of readers) this.shards[reader][shard]?.log.push(unreadable);
    return true;
  }

  private serve(request: PendingRequest, fault: Fault | undefined): void {
    this.served += 1;
    this.hash.add(`${request.text}${fault}`);
    if (fault !== undefined) this.count(`${fault} requests`);
    request.serve(fault);
  }

  private count(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }

  private read(step: Extract<Step, { do: 'read' }>): boolean {
    const shard = this.shards[step.reader][step.shard];
    if (shard === undefined) return false;
    const invocation = new Invocation(step.name, step.reader, step.requestsInTime);
    const batch = shard.batch(step.again, step.most, step.back);
    if (batch === undefined) return false;
    if (step.again !== 'next')
      this.count(`batches ${step.again === 'older' ? 'of older records again' : 'given to two invocations'}`);
    const own = step.again === 'older' ? undefined : shard;
    if (own !== undefined) own.current = { invocation, ...batch };
    const records = shard.log.slice(batch.from, batch.to);
    this.start({ invocation, shard: own, messages: [], records, reader: step.reader });
    return true;
  }

  private start(delivery: Delivery): void {
    const { invocation } = delivery;
    this.deliveries.push(delivery);
    this.worker.run(this, delivery).then(
      (failed) => {
        invocation.answer = { failed };
      },
      (threw: unknown) => {
        invocation.answer = { threw };
      },
    );
  }

  private cut(name: string, served: string | undefined): boolean {
    const delivery = this.deliveries.find(({ invocation }) => invocation.name === name);
    if (delivery === undefined) return false;
    const last = delivery.invocation.pending.find(({ text }) => text === served);
    if (last !== undefined) this.serve(last, undefined);
    for (const objectKey of delivery.invocation.touched) this.cutShort.add(objectKey);
    this.count(last === undefined ? 'invocations cut off' : 'invocations cut off after a request');
    this.end(delivery, { threw: undefined });
    return true;
  }

  /** Takes the answers of the invocations that have ended. */
  private collect(): void {
    if (this.counts.idle > 0) this.verdict.violated(6, 'the worker writes what stands there already', '');
    this.counts.idle = 0;
    for (const delivery of this.deliveries) {
      const { invocation } = delivery;
      const { answer } = invocation;
      if (answer === undefined) continue;
      const where = invocation.name;
      if ('threw' in answer && !(answer.threw instanceof FatalError && invocation.denied))
        this.verdict.violated(4, `an invocation ends with ${answer.threw}`, where);
      if ('failed' in answer)
        for (const error of answer.failed.values())
          if (error instanceof ReferenceError)
            this.verdict.violated(4, `a record fails with ${error}`, where);
      if ('failed' in answer && invocation.pending.length > 0)
        this.verdict.violated(4, 'an invocation answers while its requests are under way', where);
      if ('failed' in answer && answer.failed.size === 0 && invocation.owes)
        this.verdict.violated(4, 'an invocation acknowledges what failed', where);
      if ('failed' in answer) {
        const { handedOn } = invocation;
        judgeMessages(handedOn, where, this.verdict);
        if (!invocation.emptied) judgeHops(delivery.messages, handedOn, where, this.verdict);
        judgeAcknowledged(delivery.records, handedOn, answer.failed, where, this.verdict);
      }
      this.end(delivery, answer);
    }
  }

  private end(delivery: Delivery, answer: NonNullable<Invocation['answer']>): void {
    const { shard, invocation, messages, reader, records } = delivery;
    this.deliveries = this.deliveries.filter((other) => other !== delivery);
    const failed = (id: string): boolean => 'threw' in answer || answer.failed.has(id);
    this.queue.correct(messages, failed);
    if (shard !== undefined && shard.current?.invocation === invocation && reader !== undefined) {
      const record = shard.take(answer);
      if (record !== undefined) this.undelivered.push({ reader, record });
    }
    if (shard === undefined && reader !== undefined && invocation.name.startsWith('redrive'))
      this.undelivered.push(...records.filter(({ id }) => failed(id)).map((record) => ({ reader, record })));
  }

  private redrive(): boolean {
    const deadLetters = this.queue.redrive();
    const records = this.undelivered.splice(0);
    for (const reader of readers) {
      const own = records.filter((one) => one.reader === reader).map(({ record }) => record);
      if (own.length > 0) this.deliver(reader, own, `redrive ${reader} ${own[0]?.id}`);
    }
    return deadLetters + records.length > 0;
  }

  private note(change: Committed): void {
    const shard = [...keyText(change.key)].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7);
    const { names } = this.table;
    const told = lambdaChange(names, { ...change, at: change.at + this.skew });
    const says = readStreamRecord(names, told, { globalTableReplica: false });
    for (const reader of readers)
      if (this.passes[reader](told))
        this.shards[reader][shard % this.climate.shards]?.log.push({ id: String(change.sequence), says });
    this.hash.add(
      `${change.by}${keyText(change.key)}${JSON.stringify(change.after, this.climate.extreme === 'large' ? beginnings : undefined)}`,
    );
    const { lag } = this.table.indexes;
    if (lag > 0) this.count('changes late on indexes');
    if (lag > this.climate.settings.recheckDelaySeconds * 1000) this.late.add(keyText(change.key));
    if (change.by === 'sweep') judgeSwept(change, this.archive, this.table, this.judge.lives, this.verdict);
    this.judge.note(change);
  }
}

/** Resolves when everything that can go on without a request being served has gone on. */
function quiet(): Promise<void> {
  return new Promise((done) => process.nextTick(done));
}

/** Of long texts, beginning and length: hashing all of them would take most of the time of a run that has some. */
function beginnings(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > 4096 ? [value.slice(0, 100), value.length] : value;
}
