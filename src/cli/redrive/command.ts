import { Command } from 'commander';
import { type BatchReport, redriveBatches } from '../../dead-letters/redrive-batches.ts';
import type { DeadLetter } from '../../model/message.ts';
import { Budget } from '../../scan/budget.ts';
import { systemClock } from '../../scan/clock.ts';
import { exitCodes } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { withArchive } from '../options/archive-where.ts';
import { keyJson } from '../options/item-key.ts';
import { rate } from '../options/rate.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withWhere } from '../options/where.ts';
import { counted } from '../output/counted.ts';
import { progressBar } from '../output/progress.ts';
import type { RedriveOptions } from './here.ts';
import { openRedrive } from './where.ts';

interface Options extends RedriveOptions {
  readonly removals?: true;
  readonly rate: number;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `denorm redrive` */
export function redriveCommand(): Command {
  return withRules(withArchive(withWhere(new Command('redrive'))))
    .description(
      'Puts batches that were given up, whole in the failure bucket, through their function again.',
    )
    .option(
      '--from <place>',
      'where they stand: s3://bucket, or a folder (default: the stack’s, .denorm/on-failure)',
    )
    .option('--removals', 'also propagates that roots were deleted or expired: their copies may be removed')
    .option('--rate <number>', 'records a second', rate, 100)
    .option('--dry-run', 'prints what would be put through, and does nothing')
    .option('--global-table-replica', 'in this process: the table is a replica of a global table')
    .option('--json', 'one JSON object, for machines')
    .addHelpText('after', helpAfter)
    .action(redrive);
}

const helpAfter = `
With --stack alone, the deployed function is invoked on the records: with its role, its rules and its settings, the only
version that may write copies, and its log and metrics tell. With --bucket or --archive-dir, and against \`denorm dev\`, it
is done in this process. Records of Archive are put through always, whole batches of Propagate but for removals.

An object is removed when each of its records was put through and acknowledged; others are kept, with why. To put one
through twice does no harm. In a versioned bucket it stays below a delete marker.

A stack asks of you: cloudformation:DescribeStacks; on the failure bucket s3:ListBucket, s3:GetObject and s3:DeleteObject;
on the functions lambda:InvokeFunction.

Ends with 1 if something is kept.

Examples:
  $ denorm redrive --stack denorm-prod --dry-run
  $ denorm redrive --stack denorm-prod
  $ denorm redrive                            # what \`denorm dev\` gave up`;

async function redrive(options: Options): Promise<void> {
  const reports: BatchReport[] = [];
  const deadLettered: DeadLetter[] = [];
  const say = (line: string) => {
    if (!options.json) console.log(line);
  };
  const { work, close } = await openRedrive(options, (thing) => {
    deadLettered.push(thing);
    say(deadLetterText(thing));
  });
  const stopping = interruption();
  const bar = progressBar({ label: 'redrive', unit: 'batches' });
  try {
    await redriveBatches({
      ...work,
      ...{ removals: options.removals === true, dryRun: options.dryRun === true },
      ...{ budget: new Budget(options.rate, systemClock), stop: stopping.asked },
      onReport(report) {
        reports.push(report);
        say(textOf(report));
        bar.update(reports.length);
      },
    });
  } finally {
    bar.stop();
    close();
    stopping.end();
    const { name } = work.batches;
    say(summaryOf(name, reports));
    if (options.json)
      console.log(JSON.stringify({ from: name, ...totalsOf(reports), reports, deadLettered }, null, 2));
  }
  const isDone = deadLettered.length === 0 && reports.every(({ outcome }) => outcome === 'redriven');
  const isFine = options.dryRun === true || isDone;
  process.exitCode = isFine && !stopping.asked() ? exitCodes.fine : exitCodes.failed;
}

function deadLetterText({ code, reason, message }: DeadLetter): string {
  return `dead-lettered  ${code}  ${message ? `${message.rule}  ${keyJson(message.root)}  ` : ''}${reason}`;
}

function textOf({ key, function: to, records, outcome, why }: BatchReport): string {
  const what = outcome === 'planned' ? 'would redrive' : outcome;
  const parts = [what, to ?? '', to === undefined ? '' : counted(records, 'record'), key, why ?? ''];
  return parts.filter((part) => part !== '').join('  ');
}

function totalsOf(reports: readonly BatchReport[]) {
  const ofOutcome = (wanted: BatchReport['outcome']) =>
    reports.filter(({ outcome }) => outcome === wanted).length;
  return {
    ...{ redriven: ofOutcome('redriven'), kept: ofOutcome('kept'), planned: ofOutcome('planned') },
    leftOut: reports.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

function summaryOf(name: string, reports: readonly BatchReport[]): string {
  if (reports.length === 0) return `No batch that was given up stands in ${name}`;
  const { redriven, kept, planned, leftOut } = totalsOf(reports);
  const done = planned > 0 ? `${planned} would be redriven` : `${redriven} redriven`;
  const removals = leftOut > 0 ? `; ${counted(leftOut, 'removal')} left out` : '';
  return `${name}: ${done}, ${kept} kept${removals}`;
}
