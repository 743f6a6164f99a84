import { Command } from 'commander';
import { counted, visible, word } from '../../model/basics/text.ts';
import { nothingPaused } from '../../model/rules/pauses.ts';
import type { DeadLetter } from '../../model/work/message.ts';
import { type BatchReport, redriveBatches } from '../../operate/dead-letters/redrive-batches.ts';
import {
  type KeptBecause,
  planRedrive,
  type RedriveOutcome,
  type RedrivePlan,
  redriveDeadLetters,
} from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/budget.ts';
import { reportedWork } from '../errors.ts';
import { rate } from '../options/option-values.ts';
import { type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import { refuseStateOfAnother } from '../options/state.ts';
import { printSummary } from '../output/json.ts';
import { deadLetterLine } from '../output/lines.ts';
import { resumeCommandOn, typedCommand } from '../output/next-command.ts';
import { say, withProgress } from '../output/terminal.ts';
import { keyJson } from '../output/text.ts';
import { deployedDestination, devDestination, type RedriveDestination } from './destination.ts';
import { type LinesOptions, letterJson, messageJson, noneText, selectedLines, withLines } from './lines.ts';
import {
  type Failures,
  type FailuresOptions,
  nextDlqCommand,
  withFailures,
  withFailuresOptions,
} from './open-failures.ts';

interface RedriveOptions extends FailuresOptions, RulesOptions, LinesOptions {
  readonly allowRemove?: true;
  readonly rate?: number;
  readonly dryRun?: true;
}

export function redriveCommand(): Command {
  return withRules(withLines(withFailuresOptions(new Command('redrive'))))
    .description('Runs again what failed, then removes it: propagations of dead letters, records of batches.')
    .option('--allow-remove', 'also redrives what is about deleted or expired roots, which may remove copies')
    .option('--rate <number>', 'per second (default: 10 messages, 100 records of batches)', rate)
    .option('--dry-run', 'lists the messages and batches, and changes nothing')
    .option('--json', 'JSON for machines, with the outcome')
    .addHelpText(
      'after',
      '\nReads the table as it is then, so a late or repeated redrive is harmless: docs/runbook.md#deadlettersalarm. Exits 1 if something\nselected remains or, without a stack, is dead-lettered again: with one, `FanOut` runs the messages later.',
    )
    .action((options: RedriveOptions) => withFailures(options, (failures) => redrive(failures, options)));
}

async function redrive(failures: Failures, options: RedriveOptions): Promise<void> {
  const { services, isDev, name, look } = failures;
  if (isDev) refuseStateOfAnother(failures.options.stateDir, services);
  const inForce = await rulesInForce(services, { ...options, ...failures.options });
  const looked = await look();
  const lines = await selectedLines(looked, options);
  const deadLettered: DeadLetter[] = [];
  const destination = isDev
    ? await devDestination(failures, inForce, (one) => void deadLettered.push(one))
    : deployedDestination(services);
  try {
    const { registry } = inForce;
    const allowRemove = options.allowRemove === true;
    const hasMessages = lines.some(({ deadLetters }) => deadLetters.some(({ message }) => message));
    const paused = hasMessages ? await destination.paused() : nothingPaused;
    const plan = planRedrive(lines, { registry, allowRemove, paused });
    const run = redriveRun(failures, options, plan, deadLettered);
    const report = async () => {
      if (options.json) printSummary(run.json());
      else for (const line of run.lines(noneText(looked, name))) say(line);
      const isAll = looked.isWhole || options.id !== undefined;
      return run.isDone() && isAll && !failures.interruption.stop();
    };
    await reportedWork(() => run.through(destination), report, run.isEmpty);
  } finally {
    destination.close();
  }
}

function redriveRun(
  failures: Failures,
  options: RedriveOptions,
  plan: RedrivePlan,
  deadLettered: readonly DeadLetter[],
) {
  const { send, batches } = plan;
  const { rate: perSecond, json, allowRemove = false } = options;
  const dryRun = options.dryRun === true;
  const reports: BatchReport[] = [];
  let sent: RedriveOutcome = { messages: 0, deadLetters: 0, error: undefined };

  function counts() {
    const selected = send.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0);
    const done = reports.filter(({ outcome }) => outcome === 'redriven').length;
    return {
      redriven: { deadLetters: sent.deadLetters, messages: sent.messages, batches: done },
      kept: {
        removals: plan.kept.removals.length,
        unknownRule: plan.kept.unknownRule.length,
        paused: plan.kept.paused.length,
        withoutMessage: plan.kept.withoutMessage.length,
        notReached: dryRun ? 0 : selected - sent.deadLetters,
        batches: batches.length - done,
      },
      leftOut: reports.reduce((sum, { leftOut }) => sum + leftOut, 0),
    };
  }

  return {
    isEmpty: () => sent.messages + reports.length + deadLettered.length === 0,
    /** Messages, then batches. Throws why messages are left. */
    async through({ deliver, functionOf, putThrough }: RedriveDestination): Promise<void> {
      const { reader, interruption } = failures;
      const { stop } = interruption;
      if (!dryRun)
        sent = await withProgress({ label: 'redrive', unit: 'messages', total: send.length }, (bar) =>
          redriveDeadLetters({
            send,
            reader,
            deliver,
            stop,
            budget: new Budget(perSecond ?? 10, systemClock),
            onDelivered: (messages) => bar.update(messages),
          }),
        );
      if (sent.error !== undefined) throw sent.error;
      await withProgress({ label: 'redrive', unit: 'batches', total: batches.length }, (bar) =>
        redriveBatches({
          batches,
          functionOf,
          putThrough,
          allowRemove,
          dryRun,
          stop,
          budget: new Budget(perSecond ?? 100, systemClock),
          onReport: (report) => {
            reports.push(report);
            bar.update(reports.length);
            if (!json) say(batchLine(report));
          },
        }),
      );
    },
    isDone(): boolean {
      const left = Object.values(counts().kept).some((count) => count > 0);
      return dryRun || (deadLettered.length === 0 && !left);
    },
    json(): object {
      const messages = dryRun ? send.map(({ message }) => messageJson(failures.table, message)) : undefined;
      return {
        dryRun,
        send: messages,
        ...counts(),
        batches: reports,
        deadLetteredAgain: deadLettered.map((one) => letterJson(failures.table, one)),
      };
    },
    *lines(none: string): Generator<string> {
      const { redriven, kept, leftOut } = counts();
      const letters = send.length + Object.values(plan.kept).flat().length;
      if (letters + batches.length === 0) yield none;
      for (const { message, deadLetters } of dryRun ? send : [])
        yield `would redrive  ${word(message.rule)}  ${keyJson(failures.table, message.root)}  ${message.cause}  ${counted(deadLetters.length, 'dead letter')}`;
      if (letters > 0 && !dryRun)
        yield `redriven  ${counted(redriven.deadLetters, 'dead letter')}, as ${counted(redriven.messages, 'message')}`;
      if (redriven.messages > 0 && !failures.isDev) {
        yield 'FanOut runs them from its queue: when it is empty, look for what failed again';
        yield nextDlqCommand(['list'], options);
      }
      if (batches.length > 0 && !dryRun) yield `redriven  ${counted(redriven.batches, 'batch', 'batches')}`;
      for (const one of deadLettered) yield deadLetterLine(failures.table, one, 'dead-lettered again');
      for (const [count, why] of Object.values(whyKept(kept)))
        if (count > 0) yield `kept  ${counted(count, 'dead letter')} ${why}`;
      for (const rule of new Set(plan.kept.paused.map(({ message }) => message?.rule ?? '')))
        yield `$ ${resumeCommandOn(rule, failures.options)}`;
      const out =
        leftOut > 0 ? `, ${counted(leftOut, 'removal')} left out: add --allow-remove to redrive them` : '';
      if (dryRun && send.length + batches.length > 0) yield typedCommand({ '--dry-run': [] });
      if (kept.batches > 0 && !dryRun) yield `kept  ${counted(kept.batches, 'batch', 'batches')}${out}`;
    },
  };
}

type Kept = Readonly<Record<KeptBecause | 'notReached', number>>;

/** For each reason to keep dead letters, how many there are and what to do with them. */
function whyKept(kept: Kept): Readonly<Record<keyof Kept, readonly [count: number, why: string]>> {
  return {
    removals: [kept.removals, 'of deleted or expired roots: add --allow-remove to redrive them'],
    unknownRule: [
      kept.unknownRule,
      'of disabled or removed rules, which would be dead-lettered again: enable the rules, or drop the dead letters',
    ],
    paused: [
      kept.paused,
      'of paused rules, which nothing here would hold: end the pauses, then redrive them',
    ],
    withoutMessage: [kept.withoutMessage, 'without a propagation to run: inspect them, then drop them'],
    notReached: [
      kept.notReached,
      'that were not reached, or could not be removed: redrive again, which is safe',
    ],
  };
}

function batchLine({ key, function: to, records, outcome, why }: BatchReport): string {
  const what = outcome === 'planned' ? 'would redrive' : outcome;
  const parts = [what, to ?? '', to === undefined ? '' : counted(records, 'record'), key, why ?? ''];
  return visible(parts.filter((part) => part !== '').join('  '));
}
