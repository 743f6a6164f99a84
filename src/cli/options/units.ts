import type { Command } from 'commander';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/budget.ts';
import { unitsOption } from './option-values.ts';
import type { Services } from './services.ts';

const ofEach = { rcu: 'read units per second', wcu: 'write units per second, indexes included' } as const;

/** The option has no value unless it is given: {@link budgetOf} knows where the requests go. */
export function withUnits(command: Command, name: keyof typeof ofEach, what: string = ofEach[name]): Command {
  return command.option(
    `--${name} <units>`,
    `${what}, or \`unlimited\` (default: 100; unlimited if --endpoint is on this machine)`,
    unitsOption,
  );
}

/** @param units per second, if the options say it */
export function budgetOf(units: number | undefined, { isLocal }: Pick<Services, 'isLocal'>): Budget {
  return new Budget(units ?? (isLocal ? Number.POSITIVE_INFINITY : 100), systemClock);
}
