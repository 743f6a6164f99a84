import type { Command } from 'commander';
import type { WouldSpend } from '../../explain/dry-run/overlaid-table.ts';
import { isInForce } from '../../model/rules/registry.ts';
import { streamBeganAt } from '../../operate/adapters/dynamodb/describe-table.ts';
import { type LeftAlone, nothing, outcomeCounts } from '../../operate/drift/repair.ts';
import { type Replayed, replay } from '../../operate/drift/replay.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { unlessInterrupted } from '../../worker/scan/metered-table.ts';
import { leftAloneEntry, writeEntry } from '../drift/findings.ts';
import { type DriftOptions, driftWork } from '../drift/work.ts';
import { reportedWork } from '../errors.ts';
import { tableHistory } from '../options/history.ts';
import { sinceOption } from '../options/option-values.ts';
import { withRules } from '../options/rules-in-force.ts';
import { usingTable, withTableOptions } from '../options/services.ts';
import { withUnits } from '../options/units.ts';
import { printSummary } from '../output/json.ts';
import { listing } from '../output/listing.ts';
import { commandOn } from '../output/next-command.ts';
import { withProgress } from '../output/terminal.ts';
import { project } from '../project.ts';
import { isFine, type Outcome, summaryOf, textOf } from './outcome.ts';

interface ReplayOptions extends DriftOptions {
  readonly since: number;
}

export function replayCommand(command: Command): Command {
  return withUnits(withUnits(withRules(withTableOptions(command)), 'rcu'), 'wcu')
    .requiredOption(
      '--since <time>',
      'changes from then on: 14:00, 2h, 90m, or a time in ISO 8601, of the last 24 hours; required',
      sinceOption,
    )
    .option('--rule <name>', 'only this rule or aggregate')
    .option('--allow-remove', 'also removes copies, and attributes that no rule names')
    .option('--dry-run', 'prints writes with their conditions, counts them, and writes nothing')
    .option('--json', 'JSON lines for machines: one for each write or change left alone, then a summary')
    .addHelpText('after', helpAfter)
    .action((options: ReplayOptions) => run(options));
}

const helpAfter = `
Reads the table's stream once more, and runs what each change asks for from the table as it is now, so repeating it, also beside the
worker, is harmless. It archives nothing, and finds no copy that nobody changed: \`denorm verify\` does.

A shard of a stream serves two readers, which the worker is: this one reads a page every two seconds. Exits 1 if something was left
alone, or could not be read, or nothing was run again.

Required on AWS: dynamodb:DescribeStream, GetShardIterator and GetRecords on the stream, and what \`denorm repair\` needs.`;

/** Between two pages of a shard, which the worker reads four times a second. */
const pauseMs = 2000;

async function run(options: ReplayOptions): Promise<void> {
  const { json = false, since, dryRun = false } = options;
  await usingTable(options, async (services, interruption) => {
    const { connection, tableName, isLocal } = services;
    const { table } = (await project()).config;
    const list = listing(json);
    const wouldSpend = (spend: WouldSpend) => {
      if (spend.does === 'write') list.add(writeEntry(table, spend));
    };
    const work = await driftWork(
      services,
      interruption,
      { ...options, refusesRemovals: true },
      dryRun ? wouldSpend : 'for good',
    );
    const history = await tableHistory(services, work);
    const streamFrom = await streamBeganAt(connection.dynamoDb, tableName);
    const counts = { ...nothing, leftAlone: 0 };
    const leave = (one: LeftAlone) => {
      counts.leftAlone += 1;
      list.add(leftAloneEntry(table, one, options));
    };
    let replayed: Replayed | undefined;
    const running = async () => {
      replayed = await withProgress({ label: 'replay', unit: 'records' }, (bar) => {
        let records = 0;
        return replay({
          history,
          registry: { ...work.registry, ...work.selected },
          propagations: work.propagations,
          clock: systemClock,
          since,
          pauseMs: isLocal ? 0 : pauseMs,
          stop: work.stop,
          onPage: (count) => {
            records += count;
            bar.update(records);
          },
          onOutcome: (outcome) => {
            for (const name of outcomeCounts) counts[name] += outcome[name];
          },
          onLeftAlone: leave,
        });
      }).catch(unlessInterrupted);
    };
    const report = async () => {
      await list.printGroups();
      const isWhole = replayed !== undefined && !work.stop();
      const { rules, aggregates } = work.selected;
      const all = work.registry;
      const isAsked = (name: string) => options.rule === undefined && isInForce(all, name);
      const outcome: Outcome = {
        ...counts,
        replayed,
        isWhole,
        since,
        dryRun,
        streamFrom,
        isOfRules: rules.length + aggregates.length > 0,
        paused: new Map([...work.paused].filter(([name]) => isAsked(name))),
        disabled:
          options.rule === undefined
            ? [...all.disabled.rules, ...all.disabled.aggregates].map(({ name }) => name)
            : [],
      };
      if (json) printSummary({ table: tableName, ...summaryOf(outcome) });
      else console.log(textOf(outcome, commandOn(['repair', '--dry-run'], options)));
      return isFine(outcome);
    };
    await reportedWork(running, report);
  });
}
