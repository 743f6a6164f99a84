import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { projectOf } from '../../examples/project-examples.ts';
import { counted } from '../../model/basics/text.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Explored, SmallWorld } from '../../simulator/exhaustive/explore.ts';
import {
  type ExploringOnThreads,
  exploredJson,
  exploredText,
  exploreOnThreads,
} from '../../simulator/exhaustive/explore-on-threads.ts';
import { smallWorlds } from '../../simulator/exhaustive/small-worlds.ts';
import { failureText, faultsIn, unwrittenIn } from '../../simulator/report.ts';
import { defaultSteps } from '../../simulator/run.ts';
import type { Summary } from '../../simulator/summary.ts';
import { runOnThreads } from '../../simulator/threads.ts';
import { type Step, stepText } from '../../simulator/world/step.ts';
import { shown } from '../../testing/plain-values.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { countOption, rate, seedOption } from '../options/option-values.ts';
import { localSettings, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { closingLine } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { progressBar, styled } from '../output/terminal.ts';
import { project } from '../project.ts';

interface SimulateOptions extends RulesOptions {
  readonly seeds?: number;
  readonly seed: number;
  readonly minutes?: number;
  readonly exhaustive?: true;
  readonly json?: true;
}

/** The module of a thread is beside this file, compiled or not. */
const worker = new URL(`./simulation-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Seeds unless --seeds or --minutes says otherwise. */
const usualSeeds = 200;

/** Failing seeds after which no others are played: a wrong rule fails in most of them. */
const maxFailures = 3;

export function simulateCommand(command: Command): Command {
  return withRules(withStage(command))
    .option(
      '--seeds <count>',
      `runs to play (default: ${usualSeeds}, or as many as fit into --minutes)`,
      countOption,
    )
    .option('--seed <number>', 'the first of them', seedOption, 1)
    .option('--minutes <number>', 'how long to play at most', rate)
    .option('--exhaustive', 'every schedule of small worlds, instead of seeds')
    .option('--json', 'JSON for machines')
    .addHelpText('after', helpAfter)
    .action(simulate);
}

const helpAfter = `
First, the functions of the rules are called for items of your kinds: they must be pure, read only what they declare and agree with
each other. Then each seed is a run of its own, without a table: applications write such items, and the worker gets their changes
late, twice, out of order and in pieces, while its requests fail. Then the failures stop, and everything must come to rest as the
promises say: docs/proofs.md.

A failing run is shrunk to the few steps that matter; the same seed gives the same run, so that it can be repeated after a
correction. With --exhaustive, small worlds of each rule are tried in every order in which requests, deliveries and faults can fall,
or the fewest steps are shown that break a promise.

It counts what each rule wrote. Exits 1 if a promise is broken, if a rule wrote nothing or has no small world, or if the search did
not come to its end; 2 if a kind lacks examples: docs/testing.md.`;

async function simulate(options: SimulateOptions): Promise<void> {
  const { config, file } = await project();
  const settings = await localSettings(options);
  const registry = config.registry(settings);
  if (registry.rules.length + registry.aggregates.length === 0)
    throw new UsageError(
      'usage.rules',
      'Expected a rule or an aggregate in denorm.config.ts to simulate, found none: add one',
    );
  const { obstacles } = projectOf(registry);
  const missing = obstacles.filter(({ needs }) => needs === 'examples');
  if (missing.length > 0)
    throw new UsageError('usage.examples', missing.map(({ message }) => message).join('; '));
  if (obstacles.length > 0) {
    const rules = obstacles.map(({ message }) => message);
    if (options.json) printSummary({ kept: false, rules });
    else console.log(rules.join('\n'));
    process.exitCode = exitCodes.failed;
    return;
  }
  if (options.exhaustive) return simulateExhaustively(options, registry, { file, settings });
  const { seed, minutes } = options;
  const seeds = options.seeds ?? (minutes === undefined ? usualSeeds : Number.MAX_SAFE_INTEGER);
  const total = minutes === undefined ? seeds : undefined;
  const progress = progressBar({ label: 'simulate', unit: 'seeds', total });
  const interrupted = interruption();
  const summary = await runOnThreads({
    seed,
    seeds,
    minutes: minutes ?? Number.POSITIVE_INFINITY,
    steps: defaultSteps,
    module: worker,
    data: { file, settings },
    workers: availableParallelism(),
    rangeSize: 10,
    maxShown: maxFailures,
    enough: ({ failures }) => interrupted.stop() || failures.length >= maxFailures,
    progress: (done) => progress.update(done.seeds),
  });
  interrupted.end();
  progress.stop();
  const isInterrupted = interrupted.stop() && summary.seeds < seeds;
  if (options.json) printSummary(summaryJson(summary, isInterrupted));
  else report(summary, seeds, isInterrupted);
  process.exitCode = faultOf(summary, isInterrupted) === undefined ? exitCodes.fine : exitCodes.failed;
}

async function simulateExhaustively(
  { minutes = Number.POSITIVE_INFINITY, json }: SimulateOptions,
  registry: Registry,
  data: object,
): Promise<void> {
  const worlds = smallWorlds(projectOf(registry).project);
  const exploring = { module: worker, data, workers: availableParallelism(), minutes };
  const found = await exploreWorlds(worlds, exploring);
  const tried = worlds.flatMap((world) => namesIn(world.registry));
  const untried = namesIn(registry).filter((name) => !tried.includes(name));
  if (json) printSummary({ worlds: exploredJson(worlds, found, stepLine), untried });
  else console.log(exploredText(worlds, found, stepLine));
  if (!json && untried.length > 0)
    console.log(
      `not tried: ${untried.join(', ')}: no items were found that a change makes differ; give their kinds examples`,
    );
  const isProof = untried.length === 0 && found.every(({ finished }) => finished);
  process.exitCode = isProof ? exitCodes.fine : exitCodes.failed;
}

function namesIn({ rules, aggregates }: Pick<Registry, 'rules' | 'aggregates'>): readonly string[] {
  return [...rules, ...aggregates].map(({ name }) => name);
}

function report(summary: Summary, wanted: number, isInterrupted: boolean) {
  const { seeds, steps, requests, failed, failures, seconds } = summary;
  for (const failure of distinct(failures))
    console.log(`${failureText(failure, 'denorm simulate', stepLine)}\n`);
  const unwritten = unwrittenIn(summary);
  console.log(`written: ${[...summary.written].map(([rule, times]) => `${rule} ${times}`).join(', ')}`);
  if (unwritten.length > 0 && !isInterrupted)
    console.log(
      `not tried: ${unwritten.join(', ')}: nothing was written. Give their kinds examples that differ in what the rules read, or play more seeds`,
    );
  const isCut = failures.length >= maxFailures && seeds < wanted;
  const found =
    failed.length > 0
      ? styled('red', `${counted(failed.length, 'seed')} broke a promise`)
      : isInterrupted || unwritten.length > 0
        ? 'no promise broken'
        : styled('green', 'every promise kept');
  console.log(
    closingLine(
      [
        `${counted(seeds, 'seed')}, ${steps} steps, ${requests} requests, ${faultsIn(summary)} faults played in ${seconds.toFixed(0)} s`,
        found,
        isCut
          ? `left the other seeds after ${maxFailures} that fail: correct the rules, then simulate again`
          : undefined,
      ],
      faultOf(summary, isInterrupted),
    ),
  );
}

/** Why the exit code is 1. */
function faultOf(summary: Summary, isInterrupted: boolean): string | undefined {
  if (summary.failed.length > 0) return 'a promise is broken';
  if (isInterrupted) return 'it has not come to its end';
  return unwrittenIn(summary).length > 0 ? 'not every rule was tried' : undefined;
}

function summaryJson(summary: Summary, isInterrupted: boolean) {
  const { seeds, steps, requests, faults, failed, failures, seconds } = summary;
  const untried = unwrittenIn(summary);
  return {
    kept: failed.length === 0 && untried.length === 0 && !isInterrupted,
    ...(isInterrupted && { interrupted: true }),
    seeds,
    steps,
    requests,
    violations: failed.length,
    seconds,
    faults: Object.fromEntries(faults),
    written: Object.fromEntries(summary.written),
    untried,
    failures: distinct(failures).map(({ outcome, shrunk }) => ({
      seed: outcome.seed,
      broken: shrunk.violations.map(({ invariant, what, where }) => ({ promise: invariant, what, where })),
      steps: shrunk.steps.map(stepLine),
    })),
  };
}

function distinct(failures: Summary['failures']): Summary['failures'] {
  const byKind = Map.groupBy(failures, ({ shrunk }) => shrunk.violations[0]?.what);
  return [...byKind.values()].flatMap(([first]) => first ?? []);
}

function stepLine(step: Step): string {
  return stepText(step, (item) => shown({ M: item }));
}

/** Explores every world, shows how far it is, and stops at Ctrl+C. */
export async function exploreWorlds(
  worlds: readonly SmallWorld[],
  exploring: Omit<ExploringOnThreads, 'stopped' | 'progress'>,
): Promise<readonly Explored[]> {
  const progress = progressBar({ label: 'simulate', unit: 'states' });
  const interrupted = interruption();
  const found = await exploreOnThreads(worlds, {
    ...exploring,
    stopped: interrupted.stop,
    progress: (states) => progress.update(states),
  });
  interrupted.end();
  progress.stop();
  return found;
}
