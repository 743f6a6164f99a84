import type { Command } from 'commander';
import type { ArchivedState } from '../../archive/archived-state.ts';
import { readObjectKey } from '../../archive/object.ts';
import { UsageError } from '../errors.ts';
import { timeOf } from './selection.ts';

export interface ChoiceOptions {
  readonly version?: string;
  readonly at?: string;
}

/** Adds the options that say which state of an item is meant. */
export function withChoice(command: Command): Command {
  return command
    .option('--version <id>', 'the state with this id, from `denorm archive list --versions`')
    .option('--at <time>', 'the newest state archived up to this time (default: the newest state)');
}

/**
 * What a state goes by, unique among those of its item: the version of its object, `last-` and the sequence number of the
 * removal, or the beginning of its batch's name and its line there.
 */
export function stateId({ objectKey, versionId, line, final, sequence }: ArchivedState): string {
  const name = readObjectKey(objectKey);
  if (line !== undefined) return `${name?.holds === 'batch' ? name.name.slice(0, 12) : ''}-${line}`;
  return final ? `last-${sequence}` : (versionId ?? '');
}

/**
 * Chooses the state that the options mean; the newest where they say nothing.
 * @throws UsageError where they say two things
 */
export function choiceOf({
  version,
  at,
}: ChoiceOptions): (states: readonly ArchivedState[]) => ArchivedState | undefined {
  if (version !== undefined && at !== undefined)
    throw new UsageError('usage.choice', 'Expected --version or --at, got both: leave one out');
  if (version !== undefined) return (states) => states.findLast((state) => stateId(state) === version);
  if (at === undefined) return (states) => states.at(-1);
  const time = timeOf('--at', at);
  return (states) => states.findLast(({ archivedAt }) => archivedAt <= time);
}
