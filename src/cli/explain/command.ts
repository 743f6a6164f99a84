import type { Command } from 'commander';
import {
  type ExplainOptions,
  explainEvent,
  explainItem,
  isRefused,
  readEvent,
} from '../../explain/explain.ts';
import type { Explanation } from '../../explain/explanation.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import { type Environment, readOrDefault } from '../../model/work/settings.ts';
import { readPauses } from '../../worker/pauses.ts';
import { defaultSettings, type Settings } from '../../worker/ports.ts';
import { exitCodes } from '../errors.ts';
import { onStopSignal } from '../interruption.ts';
import { readJson, readKey } from '../options/arguments.ts';
import { type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import { openTableServices, type ServiceOptions, withTableOptions } from '../options/services.ts';
import { printSummary } from '../output/json.ts';
import { resumeCommandOn } from '../output/next-command.ts';
import { endBars, progressBar } from '../output/terminal.ts';
import { exampleKeys } from '../output/text.ts';
import { project } from '../project.ts';
import { explanationJson, explanationText, pausedLines, pausesOf } from './text.ts';

interface ExplainCommandOptions extends ServiceOptions, RulesOptions {
  readonly showValues?: true;
  readonly json?: true;
}

export function explainCommand(command: Command, table: KeyNames): Command {
  return withRules(withTableOptions(command))
    .argument('<item key | event.json>', 'a key as JSON, or a file with an event, as Lambda delivers it')
    .option('--show-values', 'also shows attribute values before and after: item content')
    .option('--json', 'JSON for machines, with every write')
    .addHelpText('after', helpAfter(table))
    .action(explain);
}

const helpAfter = (table: KeyNames) => `
Runs the worker's own propagations on a table that keeps their writes in memory: it reads what the worker would read, every copy
included, and follows the writes that come back on the stream. An event only says which items to look at: each write is computed
from the table as it is now. Exits 1 if the worker would dead-letter the record, the item, its root or a copy.

Required on AWS: dynamodb:GetItem, BatchGetItem and Query on the table and its indexes; with --stack also
cloudformation:DescribeStacks and lambda:GetFunctionConfiguration.

Examples:
  $ npx denorm explain '${exampleKeys.copy(table)}' --stack prod
  $ npx denorm explain event.json --table app --json | jq .summary.cost`;

async function explain(what: string, options: ExplainCommandOptions): Promise<void> {
  const { table } = (await project()).config;
  const key = what.trimStart().startsWith('{') ? await readKey(what) : undefined;
  const event =
    key === undefined
      ? await readJson(what, `an event, or a key as JSON, such as '${exampleKeys.root(table)}'`)
      : undefined;
  const services = await openTableServices(options);
  const progress = progressBar({ label: 'explain', unit: 'copies' });
  // It writes nothing, so nothing needs a clean stop.
  onStopSignal(() => {
    endBars();
    process.exit(exitCodes.failed);
  });
  let copies = 0;
  let explanation: Explanation;
  let paused: Pauses;
  try {
    const { registry, environment, evidence } = await rulesInForce(services, options);
    const explaining: ExplainOptions = {
      registry,
      table: services.table,
      settings: asDeployed(environment),
      values: options.showValues === true,
      onDelivery: (found) => {
        copies += found;
        progress.update(copies);
      },
    };
    explanation =
      key === undefined
        ? await explainEvent(explaining, readEvent(registry, evidence, event))
        : await explainItem(explaining, key);
    paused = pausesOf(explanation, await readPauses(services.table, registry.table));
  } finally {
    progress.stop();
    services.close();
  }
  if (options.json)
    printSummary({ ...explanationJson(table, explanation), paused: Object.fromEntries(paused) });
  else {
    const toResume = (rule: string) => `$ ${resumeCommandOn(rule, options)}`;
    console.log([explanationText(table, explanation), ...pausedLines(paused, toResume)].join('\n\n'));
  }
  process.exitCode = isRefused(explanation) ? exitCodes.failed : exitCodes.fine;
}

export function asDeployed(environment: Environment): Settings {
  return {
    ...defaultSettings,
    pageLimit: readOrDefault('pageLimit', environment),
    recheckDelaySeconds: readOrDefault('recheckDelaySeconds', environment),
    // A plan makes no writes that could be too fast.
    fanOutWriteUnits: Number.POSITIVE_INFINITY,
  };
}
