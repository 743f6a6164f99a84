import { Command } from 'commander';
import { linesOf } from '../../dead-letters/dead-letter-groups.ts';
import {
  planRedrive,
  type RedriveOutcome,
  type RedrivePlan,
  redriveDeadLetters,
} from '../../dead-letters/redrive-dead-letters.ts';
import type { DeadLetter } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { Budget } from '../../scan/budget.ts';
import { systemClock } from '../../scan/clock.ts';
import { exitCodes, reportError } from '../errors.ts';
import { keyJson } from '../options/item-key.ts';
import { rate } from '../options/rate.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { counted } from '../output/counted.ts';
import { progressBar } from '../output/progress.ts';
import {
  type DeadLettersOptions,
  lookAtAll,
  type OpenDeadLetters,
  withDeadLetters,
  withDeadLettersOptions,
} from './dead-letters.ts';
import { type SelectionOptions, selected, withSelection } from './selection.ts';

interface RedriveOptions extends DeadLettersOptions, SelectionOptions, RulesOptions {
  readonly removals?: true;
  readonly rate: number;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `denorm dlq redrive` */
export function redriveDeadLettersCommand(): Command {
  return withRules(withSelection(withDeadLettersOptions(new Command('redrive'))))
    .description(
      'Has the propagations taken that dead letters ask for, and then takes the dead letters out of the queue.',
    )
    .option(
      '--removals',
      'also those of roots that were deleted or have expired: their copies may be removed',
    )
    .option('--rate <number>', 'messages a second', rate, 10)
    .option('--dry-run', 'prints what would be redriven, and does nothing')
    .option('--json', 'the outcome as one JSON object, for machines')
    .addHelpText('after', helpAfter)
    .action((options: RedriveOptions) =>
      withDeadLetters(options, (deadLetters) => redrive(deadLetters, options)),
    );
}

const helpAfter = `
With --stack, messages go to the fan-out queue, as if for the first time. Without, each propagation is taken in this process, on
--table at --endpoint (app at http://127.0.0.1:8000), with all that it asks for; what is dead-lettered again is a new dead letter.
A propagation reads the table as it is then: one that is redriven late, or twice, does no harm.

Ends with 1 if a dead letter that was selected still lies there, or was dead-lettered again.`;

async function redrive(deadLetters: OpenDeadLetters, options: RedriveOptions): Promise<void> {
  const registry = await deadLetters.rules(options);
  const lines = selected(linesOf((await lookAtAll(deadLetters)).deadLetters), options, registry);
  const plan = planRedrive(lines, { registry, removals: options.removals === true });
  const deadLettered: DeadLetter[] = [];
  const outcome = options.dryRun ? undefined : await work(deadLetters, plan, options, registry, deadLettered);
  if (options.json) console.log(JSON.stringify(asJson(plan, outcome, deadLettered), undefined, 2));
  else for (const line of asText(deadLetters, plan, outcome, deadLettered)) console.log(line);
  const stays = keptOf(plan, outcome) > 0 || deadLettered.length > 0;
  process.exitCode = outcome !== undefined && stays ? exitCodes.failed : exitCodes.fine;
  if (outcome?.error !== undefined) process.exitCode = reportError(outcome.error);
}

async function work(
  deadLetters: OpenDeadLetters,
  { send }: RedrivePlan,
  options: RedriveOptions,
  registry: Registry,
  deadLettered: DeadLetter[],
): Promise<RedriveOutcome> {
  const [first] = send;
  if (first === undefined) return { messages: 0, deadLetters: 0, error: undefined };
  const { deliver } = await deadLetters.delivery(registry, first.message.root, (thing) =>
    deadLettered.push(thing),
  );
  const bar = progressBar({ label: 'redrive', unit: 'messages', total: send.length });
  try {
    return await redriveDeadLetters({
      ...{ send, reader: deadLetters.reader, deliver, budget: new Budget(options.rate, systemClock) },
      stop: deadLetters.interruption.asked,
      onDelivered: (messages) => bar.update(messages),
    });
  } finally {
    bar.stop();
  }
}

/** How many of the selected dead letters still lie there. */
function keptOf(plan: RedrivePlan, outcome: RedriveOutcome | undefined): number {
  return deadLettersOf(plan) - (outcome?.deadLetters ?? 0);
}

function deadLettersOf(plan: RedrivePlan): number {
  return askedOf(plan) + plan.removals.length + plan.unknownRule.length + plan.withoutMessage.length;
}

function askedOf({ send }: RedrivePlan): number {
  return send.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0);
}

function* asText(
  { name }: OpenDeadLetters,
  plan: RedrivePlan,
  outcome: RedriveOutcome | undefined,
  deadLettered: readonly DeadLetter[],
): Generator<string> {
  if (deadLettersOf(plan) === 0) {
    yield `No such dead letter lies in ${name}`;
    return;
  }
  for (const { message, deadLetters } of outcome === undefined ? plan.send : [])
    yield `would redrive  ${message.rule}  ${keyJson(message.root)}  ${message.cause}  ${counted(deadLetters.length, 'dead letter')}`;
  if (outcome !== undefined)
    yield `redriven  ${counted(outcome.deadLetters, 'dead letter')}, as ${counted(outcome.messages, 'message')}`;
  for (const { code, reason, message } of deadLettered)
    yield `dead-lettered again  ${code}  ${message ? `${message.rule}  ${keyJson(message.root)}  ` : ''}${reason}`;
  const kept = [
    [plan.removals.length, 'of roots that were deleted or have expired: say --removals to play that again'],
    [
      plan.unknownRule.length,
      'of rules that are switched off or gone, which would be dead-lettered again: switch them on, or drop them',
    ],
    [plan.withoutMessage.length, 'that ask for no propagation: see what they are about, and drop them'],
    [
      outcome === undefined ? 0 : askedOf(plan) - outcome.deadLetters,
      'that were not come to, or are there though they were redriven: do it again, which does no harm',
    ],
  ] as const;
  for (const [count, why] of kept) if (count > 0) yield `kept  ${counted(count, 'dead letter')} ${why}`;
}

function asJson(
  plan: RedrivePlan,
  outcome: RedriveOutcome | undefined,
  deadLetteredAgain: readonly DeadLetter[],
) {
  return {
    dryRun: outcome === undefined,
    ...(outcome === undefined && { send: plan.send.map(({ message }) => message) }),
    redriven: { deadLetters: outcome?.deadLetters ?? 0, messages: outcome?.messages ?? 0 },
    kept: {
      removals: plan.removals.length,
      unknownRule: plan.unknownRule.length,
      withoutMessage: plan.withoutMessage.length,
      all: keptOf(plan, outcome),
    },
    deadLetteredAgain,
  };
}
