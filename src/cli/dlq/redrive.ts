import { Command } from 'commander';
import type { DeadLetter } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { groupDeadLetters } from '../../operate/dead-letters/dead-letter-groups.ts';
import {
  planRedrive,
  type RedriveOutcome,
  type RedrivePlan,
  redriveDeadLetters,
} from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { exitCodes, reportError } from '../errors.ts';
import { rate } from '../options/option-values.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { deadLetterLine } from '../output/lines.ts';
import { progressBar, say } from '../output/terminal.ts';
import { counted, keyJson } from '../output/text.ts';
import { word } from '../output/visible.ts';
import {
  type DeadLettersOptions,
  lookAtAll,
  type OpenDeadLetters,
  withDeadLetters,
  withDeadLettersOptions,
} from './dead-letters.ts';
import { type SelectionOptions, selected, withSelection } from './lines.ts';

interface RedriveOptions extends DeadLettersOptions, SelectionOptions, RulesOptions {
  readonly removals?: true;
  readonly rate: number;
  readonly dryRun?: true;
  readonly json?: true;
}

export function redriveDeadLettersCommand(): Command {
  return withRules(withSelection(withDeadLettersOptions(new Command('redrive'))))
    .description('Runs the propagations that dead letters request, then removes these dead letters.')
    .option('--removals', 'also redrives dead letters of deleted or expired roots, which may remove copies')
    .option('--rate <number>', 'messages per second', rate, 10)
    .option('--dry-run', 'lists the messages, and changes nothing')
    .option('--json', 'the outcome as one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action((options: RedriveOptions) =>
      withDeadLetters(options, (deadLetters) => redrive(deadLetters, options)),
    );
}

const helpAfter = `
With --stack, the command sends messages to the fan-out queue, with no attempts counted. Without it, each propagation and the
messages that it queues run in this process, on --table at --endpoint (default: app at http://127.0.0.1:8000); work that fails
again becomes a new dead letter. A propagation reads the table as it is at that moment, so a late or repeated redrive is harmless.
Dead letters of deleted or expired roots require --removals.

Exits 1 if a selected dead letter remains or is dead-lettered again.`;

async function redrive(deadLetters: OpenDeadLetters, options: RedriveOptions): Promise<void> {
  const registry = await deadLetters.rules(options);
  const lines = await selected(
    groupDeadLetters((await lookAtAll(deadLetters)).deadLetters),
    options,
    registry,
  );
  const plan = planRedrive(lines, { registry, removals: options.removals === true });
  const deadLettered: DeadLetter[] = [];
  const outcome = options.dryRun ? undefined : await work(deadLetters, plan, options, registry, deadLettered);
  if (options.json) console.log(JSON.stringify(asJson(plan, outcome, deadLettered), undefined, 2));
  else for (const line of asText(deadLetters, plan, outcome, deadLettered)) say(line);
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

/** The number of selected dead letters that were not redriven. */
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
    yield `No such dead letters in ${name}`;
    return;
  }
  for (const { message, deadLetters } of outcome === undefined ? plan.send : [])
    yield `would redrive  ${word(message.rule)}  ${keyJson(message.root)}  ${message.cause}  ${counted(deadLetters.length, 'dead letter')}`;
  if (outcome !== undefined)
    yield `redriven  ${counted(outcome.deadLetters, 'dead letter')}, as ${counted(outcome.messages, 'message')}`;
  for (const one of deadLettered) yield deadLetterLine(one, 'dead-lettered again');
  const kept = [
    [plan.removals.length, 'of deleted or expired roots: add --removals to redrive them'],
    [
      plan.unknownRule.length,
      'of disabled or removed rules, which would be dead-lettered again: enable the rules, or drop the dead letters',
    ],
    [plan.withoutMessage.length, 'that request no propagation: inspect them, then drop them'],
    [
      outcome === undefined ? 0 : askedOf(plan) - outcome.deadLetters,
      'that were not reached, or could not be removed: redrive again, which is safe',
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
