import { telemetryFor } from '../../develop/dev/dev-functions.ts';
import { deadLetterFolder } from '../../develop/dev/queue/dead-letter-folder.ts';
import { TransientError } from '../../model/errors.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { drain } from '../../operate/offline/drain.ts';
import { InMemoryQueue } from '../../operate/offline/in-memory-queue.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { type DeadLetterPort, defaultSettings, type TablePort } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';

/**
 * Settings for propagations that run inside a command. Redriven work is older than any index lag, so it needs
 * no recheck. A person is waiting, so give up after seconds instead of retrying for an hour.
 */
const settings = { ...defaultSettings, recheckDelaySeconds: 0, maxAttempts: 4, maxUnavailableSeconds: 15 };

export interface InProcessPropagationOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  /**
   * Dead letters are written below this folder, as with `denorm dev`. Without a folder, work that would be
   * dead-lettered fails.
   */
  readonly stateDir: string | undefined;
  readonly onDeadLettered: (deadLettered: DeadLetter) => void;
}

/** Propagations that run in this process, including all follow-up messages. */
export interface InProcessPropagation {
  readonly context: PropagationContext;
  /** Runs these propagations and everything queued, until the queue is empty. */
  take(messages: readonly Message[]): Promise<void>;
}

export function inProcessPropagation({
  registry,
  table,
  stateDir,
  onDeadLettered,
}: InProcessPropagationOptions): InProcessPropagation {
  const deadLetters = stateDir === undefined ? nowhere : deadLetterFolder(stateDir);
  const queue = new InMemoryQueue(systemClock, deadLetters);
  const telemetry = telemetryFor({ onDeadLettered }, Date.now());
  const context: PropagationContext = {
    registry,
    table,
    queue,
    telemetry,
    settings,
    outOfTime: () => false,
    clock: systemClock,
  };
  return {
    context,
    take: async (messages) => void (await drain(context, queue, messages)),
  };
}

const nowhere: DeadLetterPort = {
  async deadLetter([first]) {
    if (first !== undefined)
      throw new TransientError(
        'queue.refused',
        `${first.reason} (${first.code}); there is no dead-letter queue here: name the --stack`,
      );
  },
};
