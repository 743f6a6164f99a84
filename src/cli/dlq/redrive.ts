import { Command } from 'commander';
import { redriveBatches } from '../../operate/dead-letters/redrive-batches.ts';
import { planRedrive, redriveDeadLetters } from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { exitCodes, reportError } from '../errors.ts';
import { type ArchiveOptions, withArchive } from '../options/archive.ts';
import { rate } from '../options/option-values.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withReplica } from '../options/where.ts';
import { say, withProgress } from '../output/terminal.ts';
import { type Destination, destinationOf } from './destination.ts';
import { type SelectionOptions, selected, withSelection } from './lines.ts';
import { type Failures, type FailuresOptions, withFailures, withFailuresOptions } from './open-failures.ts';
import { batchLine, isDone, type Redriven, redrivenJson, redrivenLines } from './redriven.ts';

interface RedriveOptions extends FailuresOptions, ArchiveOptions, RulesOptions, SelectionOptions {
  readonly removals?: true;
  readonly rate?: number;
  readonly dryRun?: true;
  readonly json?: true;
}

export function redriveCommand(): Command {
  return withRules(withReplica(withArchive(withSelection(withFailuresOptions(new Command('redrive'))))))
    .description('Runs again what failed, then removes it: propagations of dead letters, records of batches.')
    .option('--removals', 'also redrives what is about deleted or expired roots, which may remove copies')
    .option('--rate <number>', 'per second (default: 10 messages, 100 records of batches)', rate)
    .option('--dry-run', 'lists the messages and batches, and changes nothing')
    .option('--json', 'the outcome as one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action((options: RedriveOptions) => withFailures(options, (failures) => redrive(failures, options)));
}

const helpAfter = `
With --stack, messages go to the fan-out queue and batches to the deployed function; without it, everything runs in this process. It
reads the table as it is at that moment, so a late or repeated redrive is harmless. Exits 1 if something selected remains, or is
dead-lettered again. See docs/runbook.md#deadlettersalarm.`;

async function redrive(failures: Failures, options: RedriveOptions): Promise<void> {
  const inForce = await failures.rules(options);
  const { registry } = inForce;
  const lines = await selected((await failures.look()).groups, options, registry);
  const plan = planRedrive(lines, { registry, removals: options.removals === true });
  const redriven: Redriven = {
    ...{ plan, isDryRun: options.dryRun === true, batches: [], deadLettered: [] },
    messages: { messages: 0, deadLetters: 0, error: undefined },
  };
  const { isDev } = failures.place;
  const destination = destinationOf(failures, {
    inForce,
    archive: isDev ? { archiveDir: options.stateDir, ...options } : { ...failures.options, ...options },
    stateDir: isDev ? options.stateDir : undefined,
    onDeadLettered: (one) => void redriven.deadLettered.push(one),
  });
  let error: unknown;
  try {
    if (!redriven.isDryRun) await redriveMessages(failures, options, destination, redriven);
    error = redriven.messages.error;
    if (error === undefined) await redriveAllBatches(failures, options, destination, redriven);
  } catch (thrown) {
    error = thrown;
  } finally {
    destination.close();
  }
  if (options.json) console.log(JSON.stringify(redrivenJson(redriven), undefined, 2));
  else for (const line of redrivenLines(redriven, failures.name)) say(line);
  process.exitCode = redriven.isDryRun || isDone(redriven) ? exitCodes.fine : exitCodes.failed;
  if (error !== undefined) process.exitCode = reportError(error);
}

async function redriveMessages(
  { reader, interruption }: Failures,
  options: RedriveOptions,
  { deliver }: Destination,
  redriven: Redriven,
): Promise<void> {
  const { send } = redriven.plan;
  redriven.messages = await withProgress({ label: 'redrive', unit: 'messages', total: send.length }, (bar) =>
    redriveDeadLetters({
      ...{ send, reader, deliver, budget: new Budget(options.rate ?? 10, systemClock) },
      stop: interruption.asked,
      onDelivered: (messages) => bar.update(messages),
    }),
  );
}

async function redriveAllBatches(
  { interruption }: Failures,
  options: RedriveOptions,
  { functionOf, putThrough }: Destination,
  { plan, batches, isDryRun }: Redriven,
): Promise<void> {
  await withProgress({ label: 'redrive', unit: 'batches', total: plan.batches.length }, (bar) =>
    redriveBatches({
      ...{ batches: plan.batches, functionOf, putThrough, dryRun: isDryRun, stop: interruption.asked },
      removals: options.removals === true,
      budget: new Budget(options.rate ?? 100, systemClock),
      onReport(report) {
        batches.push(report);
        bar.update(batches.length);
        if (!options.json) say(batchLine(report));
      },
    }),
  );
}
