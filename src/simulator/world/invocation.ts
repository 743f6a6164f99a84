import { FatalError, TransientError } from '../../model/basics/errors.ts';
import type { DeadLettered, InvocationProgress, Requeue } from '../oracle/requeues.ts';
import type { Fault } from './fault-kinds.ts';

export interface PendingRequest {
  readonly text: string;
  /** Requests that were made together: when one of them fails the call, the others are off. */
  readonly call: object;
  serve(fault: Fault | undefined): void;
}

/**
 * Whether others have a chance before it: removals are few, and invocations stall before updates.
 * @param stalling how likely they do
 */
export function isStepOfItsOwn({ text }: PendingRequest, stalling: number): boolean {
  return text.startsWith('remove ') || (stalling > 0 && text.startsWith('update '));
}

export type Task = 'propagate' | 'archive' | 'fan-out' | 'sweep';

/** What an invocation answered: the ids that must come again, or that all must. */
export type InvocationAnswer =
  | { readonly failed: ReadonlyMap<string, unknown> }
  | { readonly threw: unknown };

/** One run of a function of the worker on one batch. Its requests wait here until the scheduler serves them. */
export class Invocation {
  readonly name: string;
  readonly task: Task;
  readonly pending: PendingRequest[] = [];
  answer: InvocationAnswer | undefined;
  /** Whether a request failed and nothing was handed on or dead-lettered since. */
  isUnhandled = false;
  denied = false;
  readonly requeues: Requeue[] = [];
  readonly deadLettered: DeadLettered[] = [];
  emptied = false;
  written = false;
  throttled = false;
  readonly touched = new Set<string>();
  /** What was served, and what came of it, in any order: all that decides what it does next. Only where they are remembered. */
  readonly answers: string[] | undefined;
  private readonly requestsInTime: number;
  private made = 0;

  /** @param requestsInTime requests after which it is told that its time is nearly up */
  constructor(name: string, task: Task, requestsInTime = Number.POSITIVE_INFINITY, remembers = false) {
    this.answers = remembers ? [] : undefined;
    this.name = name;
    this.task = task;
    this.requestsInTime = requestsInTime;
  }

  outOfTime(): boolean {
    return this.made >= this.requestsInTime;
  }

  refuse(fault: Fault | undefined): void {
    if (fault === undefined) return;
    this.isUnhandled = true;
    if (fault === 'denied') {
      this.denied = true;
      throw new FatalError('simulated.denied', 'The simulated service denies access');
    }
    throw new TransientError('simulated.unavailable', 'The simulated service is not available');
  }

  progress(): InvocationProgress {
    return { outOfTime: this.outOfTime(), written: this.written, throttled: this.throttled };
  }

  /** Makes a request: what it does is done when the scheduler serves it, and only then. */
  request<T>(
    text: string,
    effect: (fault: Fault | undefined) => T | Promise<T>,
    call: object = {},
  ): Promise<T> {
    this.made += 1;
    return new Promise((resolve, reject) => {
      const serve = (fault: Fault | undefined): void => {
        this.pending.splice(this.pending.indexOf(request), 1);
        try {
          const answer = effect(fault);
          this.answers?.push(`${text} ${fault} ${JSON.stringify(answer)}`);
          resolve(answer);
        } catch (error) {
          this.answers?.push(`${text} ${fault}`);
          for (const other of this.pending.filter((one) => one.call === call))
            this.pending.splice(this.pending.indexOf(other), 1);
          reject(error);
        }
      };
      const request = { text, call, serve };
      this.pending.push(request);
    });
  }
}
