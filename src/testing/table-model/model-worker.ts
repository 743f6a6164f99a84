import { TransientError } from '../../model/basics/errors.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import type { ArchiveReport, PropagationReport, Received } from '../../model/work/report.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import type { ArchiveContext } from '../../worker/archive/archive-item.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { defaultSettings, type QueuePort, type Settings, type TelemetryPort } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { fanOutBatch, type QueueRecord } from '../../worker/propagation/fan-out-batch.ts';
import { Memory } from '../../worker/propagation/item-memory.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { countedNonces, ModelArchive } from './model-archive.ts';
import { type Committed, ModelTable } from './model-table.ts';
import { ModelTablePort } from './model-table-port.ts';

/** The real engine over the models, for tests: write to `table` as an application would, then call {@link ModelWorker.rest}, then look. */
export class ModelWorker {
  readonly table: ModelTable;
  readonly port: ModelTablePort;
  readonly queue = new ModelQueue();
  readonly archive = new ModelArchive();
  readonly telemetry = new RecordingTelemetry();
  readonly context: PropagationContext;
  readonly archiveContext: ArchiveContext;
  readonly stream: ModelStream;
  readonly archiveStream: ModelStream;
  outOfTime = false;
  /** What the engine takes for the time, in epoch milliseconds. It moves only when it is set, or slept. */
  time = Date.UTC(2026, 0, 1);

  constructor(registry: Registry, settings: Partial<Settings> = {}) {
    this.table = new ModelTable(registry.table);
    this.port = new ModelTablePort(this.table);
    this.stream = new ModelStream(this.table);
    this.archiveStream = new ModelStream(this.table);
    const { queue, telemetry, port: table, archive } = this;
    this.context = {
      registry,
      table,
      queue,
      telemetry,
      settings: { ...defaultSettings, ...settings },
      outOfTime: () => this.outOfTime,
      memory: new Memory(),
      clock: {
        now: () => this.time,
        sleep: async (milliseconds) => {
          this.time += milliseconds;
        },
      },
    };
    const nonce = countedNonces();
    this.archiveContext = { ...this.context, archive, nonce, concurrency: 16 };
  }

  /**
   * Works the queue off for so many seconds of its own time.
   * @returns how long each message was delayed, in seconds
   */
  async workOff(seconds: number): Promise<readonly number[]> {
    const end = this.time + seconds * 1000;
    const delays: number[] = [];
    for (let next = this.queue.shortestDelay(); next !== undefined; next = this.queue.shortestDelay()) {
      if (this.time + next * 1000 > end) break;
      delays.push(next);
      this.time += next * 1000;
      await fanOutBatch(this.context, this.queue.pass(next));
    }
    return delays;
  }

  /** One batch after another, until neither the stream nor the queue holds more. */
  async rest(batchSize = 100): Promise<void> {
    for (;;) {
      const records = this.stream.take(batchSize);
      if (records.length > 0) await propagateBatch(this.context, records);
      const messages = this.queue.take();
      if (messages.length > 0) await fanOutBatch(this.context, messages);
      if (records.length + messages.length === 0) return;
    }
  }

  async archiveRest(batchSize = 100): Promise<void> {
    for (let records = this.archiveStream.take(batchSize); records.length > 0; ) {
      await archiveBatch(this.archiveContext, records);
      records = this.archiveStream.take(batchSize);
    }
  }
}

type Checked = Parameters<TelemetryPort['checked']>[0];

export class RecordingTelemetry implements TelemetryPort {
  readonly propagations: PropagationReport[] = [];
  readonly checks: Checked[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly archivings: ArchiveReport[] = [];
  readonly failures: unknown[] = [];
  readonly receipts: Received[] = [];

  received(messages: readonly Received[]): void {
    this.receipts.push(...messages);
  }

  propagated(report: PropagationReport): void {
    this.propagations.push(report);
  }

  checked(counts: Checked): void {
    this.checks.push(counts);
  }

  deadLettered(deadLettered: DeadLetter): void {
    this.deadLetters.push(deadLettered);
  }

  archived(report: ArchiveReport): void {
    this.archivings.push(report);
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }
}

export interface Waiting {
  readonly id: string;
  readonly message: Message;
  readonly delaySeconds: number;
}

/** The fan-out queue and its dead letters in memory. Messages travel as text, as they do in SQS. */
export class ModelQueue implements QueuePort {
  /** Oldest first. */
  readonly sent: Waiting[] = [];
  readonly deadLettered: DeadLetter[] = [];
  refusing = false;
  private waiting: (Waiting & { readonly body: string })[] = [];

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    this.refuse();
    for (const message of messages) {
      const one = { id: `message-${this.sent.length + 1}`, message, delaySeconds };
      this.sent.push(one);
      this.waiting.push({ ...one, body: JSON.stringify(message) });
    }
  }

  async deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    this.refuse();
    this.deadLettered.push(...deadLettered);
  }

  /** Takes the messages out whose delay is at most this, in seconds; all of them by default. */
  take(delayAtMost = 900): QueueRecord[] {
    const taken = this.waiting.filter(({ delaySeconds }) => delaySeconds <= delayAtMost);
    this.waiting = this.waiting.filter(({ delaySeconds }) => delaySeconds > delayAtMost);
    return taken.map(({ id, body }) => ({ id, body }));
  }

  /** In seconds. */
  shortestDelay(): number | undefined {
    return this.waiting.length === 0
      ? undefined
      : Math.min(...this.waiting.map(({ delaySeconds }) => delaySeconds));
  }

  /** @returns the messages that are due then */
  pass(seconds: number): QueueRecord[] {
    const due = this.take(seconds);
    this.waiting = this.waiting.map((one) => ({ ...one, delaySeconds: one.delaySeconds - seconds }));
    return due;
  }

  private refuse(): void {
    if (this.refusing) throw new TransientError('queue.refused', 'The model queue refuses');
  }
}

/** Its time is rounded to the second, as DynamoDB rounds it. */
export function recordOf({ sequence, key, before, after, by, at }: Committed): StreamRecord {
  return {
    id: String(sequence),
    parsed: {
      key,
      before,
      after,
      sequence,
      expired: by === 'service' && after === undefined,
      at: Math.floor(at / 1000) * 1000,
    },
  };
}

export class ModelStream {
  private readonly table: ModelTable;
  private position = 0;

  constructor(table: ModelTable) {
    this.table = table;
  }

  take(most = Number.POSITIVE_INFINITY): StreamRecord[] {
    const taken = this.table.history.slice(this.position, this.position + most);
    this.position += taken.length;
    return taken.map(recordOf);
  }
}
