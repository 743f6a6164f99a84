import { type Command, Option } from 'commander';
import type { DeadLetter } from '../../model/message.ts';
import { streamFunctions } from '../../operate/dead-letters/failed-batch.ts';
import { type BatchReport, redriveBatches } from '../../operate/dead-letters/redrive-batches.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { exitCodes } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { withArchive } from '../options/archive.ts';
import { rate } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { withQueues, withReplica, withWhere } from '../options/where.ts';
import { deadLetterLine } from '../output/lines.ts';
import { progressBar, say } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import { visible } from '../output/visible.ts';
import { openRedrive, type RedriveOptions } from './open-redrive.ts';

interface Options extends RedriveOptions {
  readonly removals?: true;
  readonly rate: number;
  readonly dryRun?: true;
  readonly json?: true;
}

export function redriveCommand(command: Command): Command {
  return withRules(withReplica(withQueues(withArchive(withWhere(command)))))
    .option(
      '--from <place>',
      'where the batches are: s3://bucket or a folder (default: the stack’s buckets, or .denorm/on-failure)',
    )
    .addOption(
      new Option('--of <function>', 'whose batches --from holds; required for a bucket').choices(
        streamFunctions,
      ),
    )
    .option('--removals', 'also redrives records of deleted or expired roots, which may remove copies')
    .option('--rate <number>', 'records per second', rate, 100)
    .option('--dry-run', 'lists the batches, and changes nothing')
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(redrive);
}

const helpAfter = `
With only --stack, the command invokes the deployed function with the records: the function's role, rules and settings apply,
and its log and metrics show the result. With --bucket or --archive-dir, and for \`denorm dev\`, the records are handled in this
process; messages go to --queue-url, or run here without it. Records of Archive are always redriven; records of Propagate that say that a root was removed require --removals.

A batch that says that it is of another function than its bucket is kept: whoever may write there may have forged it.

A batch is removed from the failure bucket if every record of it was acknowledged. Other batches are kept, with the reason. It
is safe to redrive a batch twice. In a versioned bucket, a removed batch remains below a delete marker.

Required on AWS: cloudformation:DescribeStacks; s3:ListBucket, s3:GetObject and s3:DeleteObject on the failure buckets;
lambda:InvokeFunction on the functions, or lambda:GetFunctionConfiguration where the records are handled in this process.

Exits 1 if a batch is kept.

Examples:
  $ denorm redrive --stack denorm-prod --dry-run
  $ denorm redrive --stack denorm-prod
  $ denorm redrive                            # the failed batches of \`denorm dev\``;

async function redrive(options: Options): Promise<void> {
  const reports: BatchReport[] = [];
  const deadLettered: DeadLetter[] = [];
  const tell = (line: string) => {
    if (!options.json) say(line);
  };
  const { sources, work, close } = await openRedrive(options, (thing) => {
    deadLettered.push(thing);
    tell(deadLetterLine(thing));
  });
  const stopping = interruption();
  const bar = progressBar({ label: 'redrive', unit: 'batches' });
  try {
    const settings = {
      ...{ removals: options.removals === true, dryRun: options.dryRun === true },
      ...{ budget: new Budget(options.rate, systemClock), stop: stopping.asked },
    };
    const onReport = (report: BatchReport) => {
      reports.push(report);
      tell(textOf(report));
      bar.update(reports.length);
    };
    for (const source of sources) await redriveBatches({ ...work, ...source, ...settings, onReport });
  } finally {
    bar.stop();
    close();
    stopping.end();
    const name = sources.map(({ batches }) => batches.name).join(' and ');
    tell(summaryOf(name, reports));
    if (options.json)
      console.log(JSON.stringify({ from: name, ...totalsOf(reports), reports, deadLettered }, null, 2));
  }
  const isDone = deadLettered.length === 0 && reports.every(({ outcome }) => outcome === 'redriven');
  const isFine = options.dryRun === true || isDone;
  process.exitCode = isFine && !stopping.asked() ? exitCodes.fine : exitCodes.failed;
}

function textOf({ key, function: to, records, outcome, why }: BatchReport): string {
  const what = outcome === 'planned' ? 'would redrive' : outcome;
  const parts = [what, to ?? '', to === undefined ? '' : counted(records, 'record'), key, why ?? ''];
  return visible(parts.filter((part) => part !== '').join('  '));
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
  if (reports.length === 0) return `No failed batches in ${name}`;
  const { redriven, kept, planned, leftOut } = totalsOf(reports);
  const done = planned > 0 ? `${planned} would be redriven` : `${redriven} redriven`;
  const removals = leftOut > 0 ? `; ${counted(leftOut, 'removal')} left out` : '';
  return `${name}: ${done}, ${kept} kept${removals}`;
}
