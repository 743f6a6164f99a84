import { Command } from 'commander';
import { linesOf } from '../../dead-letters/dead-letter-groups.ts';
import type { Parked } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { Budget } from '../../scan/budget.ts';
import {
  planRedrive,
  type RedriveOutcome,
  type RedrivePlan,
  redriveLetters,
} from '../../dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../scan/system-clock.ts';
import { counted } from '../output/counted.ts';
import { exitCodes, reportError } from '../errors.ts';
import { keyJson } from '../options/item-key.ts';
import { progressBar } from '../output/progress.ts';
import { rate } from '../options/rate.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { type Letters, type LettersOptions, lookAtAll, withLetters, withLettersOptions } from './dead-letters.ts';
import { type SelectionOptions, selected, withSelection } from './selection.ts';

interface RedriveOptions extends LettersOptions, SelectionOptions, RulesOptions {
  readonly removals?: true;
  readonly rate: number;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `denorm dlq redrive` */
export function redriveLettersCommand(): Command {
  return withRules(withSelection(withLettersOptions(new Command('redrive'))))
    .description('Has the turns taken that letters ask for, and then takes the letters out of the queue.')
    .option(
      '--removals',
      'also those of roots that were deleted or have expired: their copies may be removed',
    )
    .option('--rate <number>', 'messages a second', rate, 10)
    .option('--dry-run', 'prints what would be redriven, and does nothing')
    .option('--json', 'the outcome as one JSON object, for machines')
    .addHelpText('after', helpAfter)
    .action((options: RedriveOptions) => withLetters(options, (letters) => redrive(letters, options)));
}

const helpAfter = `
With --stack, messages go to the fan-out queue, as if for the first time. Without, each turn is taken in this process, on
--table at --endpoint (app at http://127.0.0.1:8000), with all that it asks for; what is parked again is a new letter.
A turn reads the table as it is then: one that is redriven late, or twice, does no harm.

Ends with 1 if a letter that was selected still lies there, or was parked again.`;

async function redrive(letters: Letters, options: RedriveOptions): Promise<void> {
  const registry = await letters.rules(options);
  const lines = selected(linesOf((await lookAtAll(letters)).letters), options, registry);
  const plan = planRedrive(lines, { registry, removals: options.removals === true });
  const parked: Parked[] = [];
  const outcome = options.dryRun ? undefined : await work(letters, plan, options, registry, parked);
  if (options.json) console.log(JSON.stringify(asJson(plan, outcome, parked), undefined, 2));
  else for (const line of asText(letters, plan, outcome, parked)) console.log(line);
  const stays = keptOf(plan, outcome) > 0 || parked.length > 0;
  process.exitCode = outcome !== undefined && stays ? exitCodes.failed : exitCodes.fine;
  if (outcome?.error !== undefined) process.exitCode = reportError(outcome.error);
}

async function work(
  letters: Letters,
  { send }: RedrivePlan,
  options: RedriveOptions,
  registry: Registry,
  parked: Parked[],
): Promise<RedriveOutcome> {
  const [first] = send;
  if (first === undefined) return { messages: 0, letters: 0, error: undefined };
  const { deliver } = await letters.delivery(registry, first.message.root, (thing) => parked.push(thing));
  const bar = progressBar({ label: 'redrive', unit: 'messages', total: send.length });
  try {
    return await redriveLetters({
      ...{ send, reader: letters.reader, deliver, budget: new Budget(options.rate, systemClock) },
      stop: letters.interruption.asked,
      onDelivered: (messages) => bar.update(messages),
    });
  } finally {
    bar.stop();
  }
}

/** How many of the selected letters still lie there. */
function keptOf(plan: RedrivePlan, outcome: RedriveOutcome | undefined): number {
  return lettersOf(plan) - (outcome?.letters ?? 0);
}

function lettersOf(plan: RedrivePlan): number {
  return askedOf(plan) + plan.removals.length + plan.unknownRule.length + plan.withoutMessage.length;
}

function askedOf({ send }: RedrivePlan): number {
  return send.reduce((sum, { letters }) => sum + letters.length, 0);
}

function* asText(
  { name }: Letters,
  plan: RedrivePlan,
  outcome: RedriveOutcome | undefined,
  parked: readonly Parked[],
): Generator<string> {
  if (lettersOf(plan) === 0) {
    yield `No such letter lies in ${name}`;
    return;
  }
  for (const { message, letters } of outcome === undefined ? plan.send : [])
    yield `would redrive  ${message.rule}  ${keyJson(message.root)}  ${message.cause}  ${counted(letters.length, 'letter')}`;
  if (outcome !== undefined)
    yield `redriven  ${counted(outcome.letters, 'letter')}, as ${counted(outcome.messages, 'message')}`;
  for (const { code, reason, message } of parked)
    yield `parked again  ${code}  ${message ? `${message.rule}  ${keyJson(message.root)}  ` : ''}${reason}`;
  const kept = [
    [plan.removals.length, 'of roots that were deleted or have expired: say --removals to play that again'],
    [
      plan.unknownRule.length,
      'of rules that are switched off or gone, which would be parked again: switch them on, or drop them',
    ],
    [plan.withoutMessage.length, 'that ask for no turn: see what they are about, and drop them'],
    [
      outcome === undefined ? 0 : askedOf(plan) - outcome.letters,
      'that were not come to, or are there though they were redriven: do it again, which does no harm',
    ],
  ] as const;
  for (const [count, why] of kept) if (count > 0) yield `kept  ${counted(count, 'letter')} ${why}`;
}

function asJson(plan: RedrivePlan, outcome: RedriveOutcome | undefined, parkedAgain: readonly Parked[]) {
  return {
    dryRun: outcome === undefined,
    ...(outcome === undefined && { send: plan.send.map(({ message }) => message) }),
    redriven: { letters: outcome?.letters ?? 0, messages: outcome?.messages ?? 0 },
    kept: {
      removals: plan.removals.length,
      unknownRule: plan.unknownRule.length,
      withoutMessage: plan.withoutMessage.length,
      all: keptOf(plan, outcome),
    },
    parkedAgain,
  };
}
