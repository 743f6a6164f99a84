import type { ModelArchive, ModelNotes } from '../../testing/table-model/model-archive.ts';
import { ModelScan } from '../../testing/table-model/model-scan.ts';
import type { ModelTable } from '../../testing/table-model/model-table.ts';
import type { ArchiveNotes, ArchivePort } from '../../worker/archive/ports.ts';
import type { ClockPort, QueuePort, ScanPort } from '../../worker/ports.ts';
import type { Clock } from './clock.ts';
import type { Fault } from './fault-kinds.ts';
import type { Invocation } from './invocation.ts';
import type { LateEffects } from './late-effects.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

interface Requesting {
  readonly invocation: Invocation;
  readonly late: LateEffects;
}

/** A read, which a partial success does not harm. */
function read<T>(invocation: Invocation, text: string, answer: () => T | Promise<T>): Promise<T> {
  return invocation.request<T>(text, (fault) => {
    if (fault !== 'partial') invocation.refuse(fault);
    return answer();
  });
}

/** A write: whatever fails but a denial or a throttle took effect, or will. */
function write<T>({ invocation, late }: Requesting, text: string, effect: () => T): Promise<T> {
  return invocation.request(text, (fault) => {
    if (fault === 'late') late.add(`${invocation.name} ${text}`, () => void effect());
    if (fault === 'denied' || fault === 'throttled' || fault === 'late') invocation.refuse(fault);
    const done = effect();
    invocation.refuse(fault);
    return done;
  });
}

export function requestedArchive(archive: ModelArchive, requesting: Requesting): ArchivePort {
  const { invocation } = requesting;
  return {
    head: (objectKey) => read(invocation, `head ${objectKey}`, () => archive.head(objectKey)),
    put: (objectKey, object, replaces) =>
      write(requesting, `put ${objectKey}`, () => {
        invocation.touched.add(objectKey);
        return archive.store(objectKey, object, replaces);
      }),
    /** A version at a time, as S3 erases them: a crash in between leaves some. */
    async erase(objectKey, upTo) {
      const listed = await read(invocation, `list ${objectKey}`, () => archive.erasable(objectKey, upTo));
      for (const { key, etag } of listed)
        await write(requesting, `erase ${key}`, () => {
          archive.eraseVersion(key, etag);
          invocation.touched.add(objectKey);
        });
    },
  };
}

export function requestedNotes({ texts }: ModelNotes, requesting: Requesting): ArchiveNotes {
  const { invocation } = requesting;
  return {
    read: (noteKey) => read(invocation, `note ${noteKey}`, () => texts.get(noteKey)),
    write: (noteKey, text) =>
      write(requesting, `write note ${noteKey}`, () => {
        texts.set(noteKey, text);
      }),
  };
}

export function requestedQueue(queue: SimulatedQueue, { invocation, late }: Requesting): QueuePort {
  function take<T>(
    text: string,
    fault: Fault | undefined,
    all: readonly T[],
    effect: (some: readonly T[]) => void,
  ): void {
    if (fault === 'late') late.add(`${invocation.name} ${text}`, () => effect(all));
    else if (fault === 'partial') effect(all.slice(0, all.length - 1));
    else if (fault !== 'denied' && fault !== 'throttled') effect(all);
    invocation.refuse(fault);
    invocation.isUnhandled = false;
  }
  return {
    send(messages, delaySeconds = 0) {
      const [first] = messages;
      const about = first && `${first.rule} ${first.cause}${first.recheck === true ? ' recheck' : ''}`;
      const before = invocation.progress();
      const text = `send ${about}`;
      return invocation.request(text, (fault) => {
        for (const message of messages)
          invocation.requeues.push({ message, delaySeconds, refused: fault !== undefined, before });
        take(text, fault, messages, (some) => queue.send(some, delaySeconds));
      });
    },
    deadLetter(deadLettered) {
      for (const letter of deadLettered) invocation.deadLettered.push({ letter, at: queue.now() });
      const text = `dead-letter ${deadLettered[0]?.code ?? ''}`;
      return invocation.request(text, (fault) =>
        take(text, fault, deadLettered, (some) => queue.deadLetter(some, invocation.task)),
      );
    },
  };
}

/** A sleep ends when it is served, and until then other invocations go on. */
export function requestedClock(clock: Clock, invocation: Invocation): ClockPort {
  return {
    now: () => clock.now,
    sleep: (milliseconds) => {
      const end = clock.now + milliseconds;
      return invocation.request(`sleep until ${end}`, () => {
        clock.now = Math.max(clock.now, end);
      });
    },
  };
}

/** Shows items as they were a second ago. */
export function requestedScan(table: ModelTable, invocation: Invocation): ScanPort {
  const items = new ModelScan(table, true);
  const after = (from: unknown) => (from === undefined ? 'from its start' : JSON.stringify(from));
  return {
    async scan(segment, limit, from) {
      const first = await items.scan(segment, 1, from);
      // A segment of nothing is not worth a step.
      if (first.entries.length === 0) return first;
      const page = () => items.scan(segment, Math.min(limit, 5), from);
      return read(invocation, `scan ${segment.index} ${after(from)}`, page);
    },
  };
}
