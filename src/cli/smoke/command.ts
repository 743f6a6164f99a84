import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { smokeTestsOf } from '../../examples/smoke-tests.ts';
import { counted, number } from '../../model/basics/text.ts';
import { withoutPaused } from '../../model/rules/pauses.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { stackParameters } from '../../operate/adapters/stack-outputs.ts';
import { smoke } from '../../operate/smoke/smoke.ts';
import type { Line, SmokeTest } from '../../operate/smoke/smoke-test.ts';
import { readPauses } from '../../worker/pauses.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countOption } from '../options/option-values.ts';
import { allRules, rulesInForce } from '../options/rules-in-force.ts';
import { type ServiceOptions, usingTable, withConnection } from '../options/services.ts';
import { closingLine } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { say, styled, warn } from '../output/terminal.ts';

interface SmokeOptions extends ServiceOptions {
  readonly within: number;
  readonly allowUnproven?: true;
  readonly json?: true;
}

export function smokeCommand(command: Command): Command {
  return withConnection(command)
    .option('--within <seconds>', 'how long each change is waited for', countOption, 150)
    .option('--allow-unproven', 'exit 0 although some rules could not be tried')
    .option('--json', 'JSON for machines')
    .addHelpText('after', helpAfter)
    .action((options: SmokeOptions) => smokeStack(options));
}

const helpAfter = `
Writes items of its own for each rule, aggregate and archive rule, changes and removes them, waits for what must follow, looks at
the stack's other parts, and removes everything, also after Ctrl-C. Prints a line for each: proven, failed with what to do, unproven
with why, or off, by a parameter of the stack.

Exits 1 if something failed or was left behind, or if a rule is unproven, unless --allow-unproven is given. What it does, and
permissions: docs/deploy.md#prove-that-it-works.`;

async function smokeStack(options: SmokeOptions): Promise<void> {
  await usingTable(options, async (services, { stop }) => {
    const { connection, stack: outputs, stackName, tableName, table: port, isLocal } = services;
    if (outputs === undefined || stackName === undefined)
      throw new UsageError('usage.stack', 'Expected --stack NAME, got none: say which stack to prove');
    const run = `smoke-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
    if (!options.json) say(`run ${run}`);
    const lines: Line[] = [];
    const left: string[] = [];
    const onLine = (line: Line) => {
      lines.push(line);
      if (!options.json) say(lineText(line));
    };
    const onLeft = (what: string) => {
      left.push(what);
      warn(`left behind: ${what}`);
    };
    const parameters = await stackParameters(connection, stackName);
    const enabled = whatRuns((await rulesInForce(services, {})).registry, parameters);
    const paused = await readPauses(port, enabled.table);
    const registry = withoutPaused(enabled, paused);
    const running = namesIn(registry);
    const why = (name: string) =>
      paused.has(name) ? `paused since ${paused.get(name)}` : 'by a parameter of the stack';
    for (const check of namesIn(await allRules()).filter((name) => !running.includes(name)))
      onLine({ check, of: 'rule', status: 'off', detail: why(check) });
    const smokeTests: SmokeTest[] = [];
    for (const one of await smokeTestsOf(registry, run))
      if ('steps' in one) smokeTests.push(one);
      else onLine({ check: one.rule, of: 'rule', status: 'unproven', detail: one.why });
    const trial = (await smokeTestsOf(registry, `${run}-trial`)).filter((one) => 'steps' in one);
    await smoke({
      connection,
      stackName,
      outputs,
      parameters,
      tableName,
      table: registry.table,
      port,
      run,
      isEmulated: isLocal,
      within: options.within,
      smokeTests,
      trial,
      stop,
      onLine,
      onLeft,
    });
    if (stop()) warn('stopped before its end');
    const isFine = ({ of, status }: Line) =>
      status !== 'failed' && (status !== 'unproven' || of === 'stack' || options.allowUnproven === true);
    const fault = faultOf(
      stop(),
      left,
      lines.filter((line) => !isFine(line)),
    );
    const passed = fault === undefined;
    if (options.json) printSummary({ passed, stack: stackName, run, lines, leftBehind: left });
    else
      say(
        closingLine(
          [
            `${counted(lines.length, 'line')} of stack ${stackName}`,
            `found ${countText(lines)}`,
            left.length === 0 ? 'nothing left behind' : `left ${number(left.length)} behind`,
          ],
          fault,
        ),
      );
    process.exitCode = passed ? exitCodes.fine : exitCodes.failed;
  });
}

/** Why the exit code is 1. */
function faultOf(isStopped: boolean, left: readonly string[], bad: readonly Line[]): string | undefined {
  if (isStopped) return 'it has not come to its end';
  if (bad.some(({ status }) => status === 'failed')) return 'something failed';
  if (bad.length > 0) return 'something is unproven';
  return left.length > 0 ? 'something was left behind' : undefined;
}

/**
 * The rules that the stack runs.
 * @throws UsageError `stack.not-erasing` if the run's removals would keep Archive from its work
 */
function whatRuns(registry: Registry, parameters: ReadonlyMap<string, string>): Registry {
  const isOff = (name: string) => parameters.get(name) === 'false';
  const archives = isOff('ArchiveEnabled') ? [] : registry.archives;
  const erasing = archives.find(({ onDelete }) => onDelete === 'erase');
  if (erasing !== undefined && isOff('ArchiveErase'))
    throw new UsageError(
      'stack.not-erasing',
      `Expected ArchiveErase=true, because ${erasing.name} erases what users delete, found false: until it is set, a deletion fails in Archive, so nothing is tried`,
    );
  return { ...registry, archives, ...(isOff('PropagateEnabled') && { rules: [], aggregates: [] }) };
}

function namesIn({ rules, aggregates, archives }: Registry): readonly string[] {
  return [...rules, ...aggregates, ...archives].map(({ name }) => name);
}

const styles = { proven: 'green', failed: 'red', unproven: 'yellow', off: 'dim' } as const;

function lineText({ check, status, detail }: Line): string {
  return `${styled(styles[status], status.padEnd(8))}  ${check}: ${detail}`;
}

/** For example `11 proven, 0 failed, 1 unproven, 0 off`. */
function countText(lines: readonly Line[]): string {
  return Object.keys(styles)
    .map((one) => `${lines.filter(({ status }) => status === one).length} ${one}`)
    .join(', ');
}
