import type { Command } from 'commander';
import { type Aggregate, memberIndexes } from '../../model/aggregate.ts';
import type { Rule } from '../../model/rule.ts';
import {
  type BackfillState,
  backfill,
  backfillFrom,
  backfillStateSchema,
} from '../../operate/drift/backfill.ts';
import { Propagations } from '../../operate/drift/repair.ts';
import { silentTelemetry } from '../../operate/offline/silent-telemetry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { isFinished } from '../../worker/scan/scan-table.ts';
import {
  type DriftOptions,
  type DriftWork,
  expectedItems,
  firstPoint,
  propagationsAtOnce,
  ruleNamed,
  segmentsAtOnce,
  withDriftOptions,
  withDriftWork,
  withWriteOptions,
} from '../drift/drift-work.ts';
import { RepairTally } from '../drift/repair-tally.ts';
import { resumePoint } from '../drift/resume-point.ts';
import { sayStopped } from '../drift/search-table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { shareOption } from '../options/option-values.ts';
import { progressBar } from '../output/terminal.ts';
import { counted, number } from '../output/text.ts';

interface BackfillOptions extends DriftOptions {
  readonly rule: string;
  readonly estimate?: true;
  readonly allowRemove?: true;
  readonly resume?: true;
  readonly json?: true;
}

export function backfillCommand(command: Command): Command {
  return withWriteOptions(withDriftOptions(command))
    .requiredOption('--rule <name>', 'the rule, or the aggregate')
    .option('--estimate', 'counts the writes and their cost, and writes nothing')
    .option('--sample <share>', 'with --estimate: a random share of the table, such as 1%', shareOption)
    .addHelpText('after', helpAfter)
    .action(run);
}

const helpAfter = `
Deploy the rule first, so that new changes match it; then backfill existing items. If a rule's items are their own copies, each
of them gets a propagation; of an aggregate, each target is computed. A propagation reads root and copies as they are at that
moment and writes only differences: if everything is right it writes nothing, and it is safe to repeat beside live traffic. The
command refuses a rule whose index DynamoDB is still building. It leaves a copy alone, and reports it, if the copy would be removed because the rule's when is false
for its root, or would lose attributes that no rule names, unless --allow-remove is given.

Ctrl-C leaves a resume point in .denorm/ for --resume. Exits 1 if copies were left alone or the command is stopped.

Examples:
  $ denorm backfill --stack prod-denorm --rule author-on-posts --estimate --sample 1%
  $ denorm backfill --stack prod-denorm --rule author-on-posts --rcu 200 --wcu 100`;

async function run(options: BackfillOptions): Promise<void> {
  const estimate = options.estimate === true;
  if (options.sample !== undefined && !estimate)
    throw new UsageError(
      'usage.options',
      'Expected --sample with --estimate, got it alone: a backfill covers every root, so leave it out',
    );
  await withDriftWork(options, estimate ? () => {} : 'for good', async (work) => {
    const rule = ruleNamed(work.registry, options.rule);
    refuseBuilding(work, rule);
    const tally = new RepairTally(options.json === true);
    const point = resumePoint(
      'backfill',
      work.where.tableName,
      backfillStateSchema,
      identityOf(work, options),
      options.resume === true,
    );
    const from = (await point.load()) ?? backfillFrom(firstPoint(options));
    const bar = progressBar({
      label: 'backfill',
      unit: 'items',
      total: expectedItems(work.description, options.sample, from.items),
    });
    try {
      const state = await backfill(
        {
          ...{ table: work.registry.table, rule, propagations: propagationsOf(work, options) },
          ...{ scan: work.scan, budget: work.reads, clock: systemClock, stop: work.interruption.asked },
          concurrency: segmentsAtOnce,
          onLeftAlone: (leftAlone) => {
            for (const one of leftAlone) tally.leave(one);
          },
          onState: (now) => {
            bar.update(now.items - from.items, `${number(now.roots)} roots, ${number(now.written)} written`);
            return point.keep(now);
          },
        },
        from,
      );
      const finished = isFinished(state.point);
      await (finished ? point.clear() : point.keepNow(state));
      bar.stop();
      report(work, options, state, finished);
      if (!finished) sayStopped(state, point.path);
      process.exitCode = finished && state.leftAlone === 0 ? exitCodes.fine : exitCodes.failed;
    } finally {
      bar.stop();
    }
  });
}

function propagationsOf(
  { registry, table, interruption }: DriftWork,
  { allowRemove }: BackfillOptions,
): Propagations {
  return new Propagations({
    ...{ registry, table, clock: systemClock, telemetry: silentTelemetry },
    concurrency: propagationsAtOnce,
    allowRemove: allowRemove === true,
    stop: interruption.asked,
  });
}

/** @throws UsageError `usage.index` if the rule's index is still being built */
function refuseBuilding({ description, where }: DriftWork, rule: Rule | Aggregate): void {
  const { name } = rule;
  const indexes =
    'computes' in rule ? memberIndexes(rule) : rule.located.in === 'index' ? [rule.located.index] : [];
  const building = indexes.find((index) => description.building.includes(index.name));
  if (building === undefined) return;
  throw new UsageError(
    'usage.index',
    `Expected index ${building.name} of table ${where.tableName} to be complete, but DynamoDB is still building it and rule ${name} would miss ${'computes' in rule ? 'members' : 'copies'}: wait until it is ACTIVE`,
  );
}

function identityOf(
  { description, digest }: DriftWork,
  { rule, estimate, sample, allowRemove }: BackfillOptions,
): Readonly<Record<string, string>> {
  return {
    ...{ 'the table': description.arn, 'the rules': digest, '--rule': rule },
    '--estimate': String(estimate === true),
    '--sample': sample === undefined ? 'none' : `${sample * 100}%`,
    '--allow-remove': String(allowRemove === true),
  };
}

function report(
  { where, description, spent }: DriftWork,
  { rule, estimate, sample, json }: BackfillOptions,
  state: BackfillState,
  finished: boolean,
): void {
  const { point: _, ...counts } = state;
  const dryRun = estimate === true;
  // Extrapolates from the sample to the whole table, by DynamoDB's item count if the table has one.
  const times =
    sample === undefined
      ? undefined
      : description.items > 0
        ? description.items / Math.max(1, state.items)
        : 1 / sample;
  const units = { readUnits: Math.round(spent.readUnits), writeUnits: Math.round(spent.writeUnits) };
  if (json) {
    const whole = times !== undefined && {
      wholeTable: {
        roots: Math.round(state.roots * times),
        written: Math.round(state.written * times),
        readUnits: Math.round(spent.readUnits * times),
        writeUnits: Math.round(spent.writeUnits * times),
      },
    };
    const summary = {
      table: where.tableName,
      rule,
      estimate: dryRun,
      finished,
      ...counts,
      ...units,
      ...whole,
    };
    console.log(JSON.stringify({ summary }));
    return;
  }
  const verb = dryRun ? 'would be written' : 'written';
  console.log(
    `${rule}: ${counted(state.items, 'item')} read, ${counted(state.roots, 'root')}; ${counted(state.written, 'copy', 'copies')} ${verb}, ${number(state.unchanged)} right, ${number(state.leftAlone)} left alone; ${number(spent.readUnits)} read units, ${number(spent.writeUnits)} write units`,
  );
  if (times !== undefined)
    console.log(
      `extrapolated to the whole table: about ${number(Math.round(state.roots * times))} roots, ${number(Math.round(state.written * times))} writes, ${number(Math.round(spent.readUnits * times))} read units, ${number(Math.round(spent.writeUnits * times))} write units`,
    );
}
