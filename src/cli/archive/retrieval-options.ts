import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { RetrievalTier } from '../../worker/archive/ports.ts';
import type { ClockPort } from '../../worker/ports.ts';
import { countOption } from '../options/option-values.ts';
import type { Progress } from '../output/terminal.ts';

export interface RetrievalOptions {
  readonly tier: RetrievalTier;
  readonly days: number;
  readonly wait?: true;
}

const tiers: readonly RetrievalTier[] = ['Expedited', 'Standard', 'Bulk'];

/** Adds the options for retrievals from Glacier. */
export function withRetrieval(command: Command): Command {
  return command
    .addOption(
      new Option('--tier <tier>', 'retrieval tier for Glacier: faster tiers cost more')
        .argParser(tierOption)
        .default('Standard')
        .choices([...tiers])
        .argParser(tierOption),
    )
    .option('--days <number>', 'days for which a retrieved object stays readable', countOption, 1)
    .option('--wait', 'waits until the object is readable; Ctrl-C is safe');
}

function tierOption(text: string): RetrievalTier {
  const tier = tiers.find((one) => one.toLowerCase() === text.toLowerCase());
  if (tier !== undefined) return tier;
  throw new InvalidArgumentError(`Expected one of ${tiers.join(', ')}.`);
}

/** How often to poll Glacier with `--wait`, in milliseconds. */
export function lookEvery({ wait, tier }: RetrievalOptions): number | undefined {
  if (wait === undefined) return undefined;
  return tier === 'Expedited' ? 10_000 : 60_000;
}

/** The system clock. While the command waits, the progress bar shows how long it has waited. */
export function waitingClock(bar: Progress): ClockPort {
  const began = systemClock.now();
  return {
    now: systemClock.now,
    async sleep(milliseconds) {
      await systemClock.sleep(milliseconds);
      bar.update(Math.floor((systemClock.now() - began) / 1_000));
    },
  };
}
