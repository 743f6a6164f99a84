import { FatalError } from '../../model/basics/errors.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { checkRequeues } from '../oracle/requeues.ts';
import type { Invocation } from './invocation.ts';
import type { SimulatedShard } from './simulated-stream.ts';
import type { ReaderName } from './step.ts';
import {
  type Batch,
  type Functions,
  maxMilliseconds,
  runWorker,
  type WorkerEnvironment,
} from './worker-under-test.ts';

export interface BatchInProgress extends Batch {
  readonly since: number;
  readonly shard: SimulatedShard | undefined;
  /** Whether its answer counts: a batch given a second time is answered by the latest. */
  readonly reader: ReaderName | undefined;
}

/** What fails of it waits for another redrive. */
const isRedriven = ({ shard, invocation }: BatchInProgress): boolean =>
  shard === undefined && invocation.name.startsWith('redrive');

const timeoutOf = ({ task }: Invocation): number => (task === 'sweep' ? 900_000 : maxMilliseconds);

export class Deliveries {
  running: BatchInProgress[] = [];
  /** Records that went whole to the on-failure destination, by the function that could not see to them. */
  readonly undelivered: { readonly reader: ReaderName; readonly record: StreamRecord }[] = [];
  readonly crashed = new Set<string>();
  private readonly functions: Functions;
  private readonly world: WorkerEnvironment;

  constructor(world: WorkerEnvironment, functions: Functions) {
    this.world = world;
    this.functions = functions;
  }

  find(name: string): BatchInProgress | undefined {
    return this.running.find(({ invocation }) => invocation.name === name);
  }

  start(delivery: BatchInProgress): void {
    const { invocation } = delivery;
    this.running.push(delivery);
    runWorker(this.functions, this.world, delivery).then(
      (failed) => {
        invocation.answer = { failed };
      },
      (threw: unknown) => {
        invocation.answer = { threw };
      },
    );
  }

  crash(delivery: BatchInProgress): void {
    for (const objectKey of delivery.invocation.touched) this.crashed.add(objectKey);
    this.end(delivery, { threw: undefined });
  }

  timeOut(): void {
    const { now } = this.world.clock;
    const overdue = this.running.filter(({ invocation, since }) => now - since >= timeoutOf(invocation));
    this.world.findings.fault('invocations past their timeout', overdue.length);
    for (const delivery of overdue) this.crash(delivery);
  }

  collect(): void {
    for (const delivery of this.running) {
      const { invocation } = delivery;
      const { answer } = invocation;
      if (answer === undefined) continue;
      if ('failed' in answer) this.checkAnswer(delivery, answer.failed);
      else if (!(answer.threw instanceof FatalError && invocation.denied))
        this.world.findings.violated(4, `an invocation ends with ${answer.threw}`, invocation.name);
      this.end(delivery, answer);
    }
  }

  private checkAnswer(
    { invocation, messages, records }: BatchInProgress,
    failed: ReadonlyMap<string, unknown>,
  ): void {
    const { name, requeues, deadLettered, emptied } = invocation;
    const violated = (what: string) => this.world.findings.violated(4, what, name);
    for (const error of failed.values())
      if (error instanceof ReferenceError) violated(`a record fails with ${error}`);
    if (invocation.pending.length > 0) violated('an invocation answers while its requests are under way');
    if (failed.size === 0 && invocation.isUnhandled) violated('an invocation acknowledges what failed');
    const { registry, profile, findings, everPaused } = this.world;
    const { settings } = profile;
    checkRequeues(
      { registry, messages, records, requeues, deadLettered, failed, emptied, settings, everPaused },
      name,
      findings,
    );
  }

  private end(delivery: BatchInProgress, answer: NonNullable<Invocation['answer']>): void {
    const { shard, invocation, messages, reader, records } = delivery;
    this.running = this.running.filter((other) => other !== delivery);
    const failed = (id: string): boolean => 'threw' in answer || answer.failed.has(id);
    this.world.queue.correct(messages, failed);
    if (shard !== undefined && shard.current?.invocation === invocation && reader !== undefined) {
      const record = shard.take(answer);
      if (record !== undefined) this.undelivered.push({ reader, record });
    }
    if (isRedriven(delivery) && reader !== undefined)
      this.undelivered.push(...records.filter(({ id }) => failed(id)).map((record) => ({ reader, record })));
  }
}
