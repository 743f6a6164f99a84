import { telemetryFor } from '../../dev/dev-functions.ts';
import { deadLetterFolder } from '../../dev/queue/dead-letter-folder.ts';
import { TransientError } from '../../model/errors.ts';
import type { DeadLetter, Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { type DeadLetterPort, defaultSettings, type TablePort } from '../../ports.ts';
import type { PropagationContext } from '../../propagation/context.ts';
import { drain } from '../../propagation/drain.ts';
import { InMemoryQueue } from '../../propagation/in-memory-queue.ts';
import { systemClock } from '../../scan/clock.ts';

/**
 * Bounds of propagations that are taken by a command. What is redriven is older than any index lags, so that nothing has to
 * settle; and whoever waits for a command would rather see a dead letter dead-lettered again than an hour of retries.
 */
const settings = { ...defaultSettings, recheckDelaySeconds: 0, maxAttempts: 4, maxUnavailableSeconds: 15 };

export interface InProcessPropagationOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  /** What is dead-lettered goes below this folder, as `denorm dev` does it. Where there is none, what would be dead-lettered fails. */
  readonly stateDir: string | undefined;
  readonly onDeadLettered: (deadLettered: DeadLetter) => void;
}

/** Propagations that are taken in this process, with all that they ask for. */
export interface InProcessPropagation {
  readonly context: PropagationContext;
  /** Runs these propagations, and whatever the engine has queued by now, until nothing is left. */
  take(messages: readonly Message[]): Promise<void>;
}

export function inProcessPropagation({
  registry,
  table,
  stateDir,
  onDeadLettered,
}: InProcessPropagationOptions): InProcessPropagation {
  const deadLetters = stateDir === undefined ? nowhere : below(stateDir);
  const queue = new InMemoryQueue(systemClock, deadLetters);
  const telemetry = telemetryFor({ onDeadLettered }, Date.now());
  const { now } = systemClock;
  const context: PropagationContext = {
    registry,
    table,
    queue,
    telemetry,
    settings,
    outOfTime: () => false,
    now,
  };
  return {
    context,
    take: async (messages) => void (await drain(context, queue, messages)),
  };
}

function below(stateDir: string): DeadLetterPort {
  const folder = deadLetterFolder(stateDir);
  return {
    async deadLetter(deadLettered) {
      for (const thing of deadLettered)
        await folder.add({ kind: 'dead-lettered', at: new Date().toISOString(), deadLettered: thing });
    },
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
