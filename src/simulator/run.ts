import { Random } from '../examples/random.ts';
import { keyIn, keyText } from '../model/items/item.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { Message } from '../model/work/message.ts';
import { type Candidate, candidatesIn } from '../worker/verify/candidates.ts';
import { rootNamed } from '../worker/verify/classify-copy.ts';
import { checkArchive } from './oracle/archived-states.ts';
import { checkDeadLetters, checkOutlasted, checkUnreadable } from './oracle/dead-letters.ts';
import { driftOf, type FoundDrift, isDeadLettered, type Stuck } from './oracle/drift.ts';
import type { Findings } from './oracle/findings.ts';
import { checkAged } from './oracle/sweeps.ts';
import { giveUp, maxRequests, outlast, quiesce } from './quiesce.ts';
import type { Scenario, SimulatedRun } from './scenario.ts';
import { schedulerOf } from './scheduler.ts';
import type { Invocation } from './world/invocation.ts';
import type { Step } from './world/step.ts';
import type { Functions } from './world/worker-under-test.ts';
import { World } from './world/world.ts';

export interface RunOutcome
  extends Pick<Findings, 'violations' | 'faults' | 'rareEvents' | 'exceptions' | 'written'> {
  readonly seed: number;
  /** Those taken while there were faults. */
  readonly steps: readonly Step[];
  readonly requests: number;
  readonly hash: string;
}

export const defaultSteps = 200;

const openings = 4;

const operationsAtRest = 6;

export async function run(
  scenario: Scenario,
  seed: number,
  length = defaultSteps,
  functions?: Functions,
): Promise<RunOutcome> {
  const simulated = scenario(seed);
  const world = new World(simulated, functions);
  const random = new Random(seed);
  const workload = simulated.workload(random, world);
  const next = schedulerOf(random, world, workload);
  const steps: Step[] = [];
  for (let tries = 0; steps.length < length && tries < 2 * length; tries += 1) {
    if (world.findings.violations.length > 0) break;
    const step = (tries < openings ? workload.open() : undefined) ?? next();
    if (await world.take(step)) steps.push(step);
  }
  return finish(seed, simulated, world, steps);
}

/** Plays these steps in the world of a seed; those that cannot be taken are passed over, and left out of what it gives. */
export async function replay(
  scenario: Scenario,
  seed: number,
  steps: readonly Step[],
  functions?: Functions,
): Promise<RunOutcome> {
  const simulated = scenario(seed);
  const world = new World(simulated, functions);
  const taken: Step[] = [];
  for (const step of steps) {
    if (world.findings.violations.length > 0) break;
    if (await world.take(step)) taken.push(step);
  }
  return finish(seed, simulated, world, taken);
}

async function finish(
  seed: number,
  simulated: SimulatedRun,
  world: World,
  steps: readonly Step[],
): Promise<RunOutcome> {
  const { findings } = world;
  if (world.pausedSince.size > 0) await world.take({ do: 'pause', rule: undefined });
  if (findings.violations.length === 0) await checkOutage(seed, simulated, world);
  if (findings.violations.length === 0) await checkRest(world, true);
  if (findings.violations.length === 0 && simulated.countsWrites)
    await checkWriteCounts(seed, simulated, world);
  if (findings.violations.length === 0 && world.profile.losesRecords)
    await checkRepair(seed, simulated, world);
  return {
    seed,
    steps,
    requests: world.served,
    hash: world.hash.digest('hex'),
    ...findings,
  };
}

async function write(simulated: SimulatedRun, world: World, seed: number): Promise<void> {
  const workload = simulated.workload(new Random(seed), world);
  for (let operation = 0; operation < operationsAtRest; operation += 1) {
    const step = workload.write();
    if (step !== undefined) await world.take(step);
  }
}

/** The table is away for hours, in some seeds, just when applications have written. */
async function checkOutage(seed: number, simulated: SimulatedRun, world: World): Promise<void> {
  const { profile, findings, queue } = world;
  if (profile.outage === 0) return;
  await write(simulated, world, seed ^ 0x0f0f);
  // What an invocation has decided by then, the outage has nothing to do with.
  for (const { invocation } of world.deliveries)
    for (let request = sendOf(invocation); request !== undefined; request = sendOf(invocation))
      await world.take({ do: 'serve', invocation: invocation.name, request, fault: undefined, more: 0 });
  for (const request of world.late.texts()) await world.take({ do: 'take-effect', request });
  const before = [...queue.deadLettered];
  await world.take({ do: 'outage', milliseconds: profile.outage });
  if (profile.outage > profile.settings.maxUnavailableSeconds * 1000) {
    const workload = simulated.workload(new Random(seed ^ 0xf0f0), world);
    await giveUp(world, () => workload.write());
    return;
  }
  const wasted = await outlast(world);
  if (wasted !== undefined) findings.violated(7, 'an outage keeps the worker busy', wasted);
  checkOutlasted(world, before);
}

function sendOf({ pending }: Invocation): string | undefined {
  return pending.find(({ text }) => /^(send|dead-letter) /.test(text))?.text;
}

/** @param isFirst whether there were faults before: dead letters are redriven, and sweeps run */
async function checkRest(world: World, isFirst: boolean, lag = 0): Promise<void> {
  const { findings, oracle } = world;
  checkDeadLetters(world, isFirst);
  if (!(await quiesce(world, isFirst, lag))) {
    findings.violated(7, 'rest does not come', `after ${maxRequests} requests`);
    return;
  }
  checkDeadLetters(world, false);
  if (isFirst) checkUnreadable(world);
  const before = driftOf(world);
  const late = before.drift.filter((one) => isLate(world, one));
  const unheard = before.stuck.filter((one) => isLate(world, one) && !isDeadLettered(world, one));
  findings.excepted('copies later on an index than the recheck delay', late.length + unheard.length);
  for (const { rule, root } of [...late, ...unheard]) await world.take({ do: 'repair', rule, root });
  if (late.length + unheard.length > 0) await quiesce(world, false);
  const writtenLate = before.drift.filter((one) => !late.includes(one) && isWrittenLate(world, one));
  findings.excepted('writes later than the recheck of a removal', writtenLate.length);
  for (const { rule, item, removed } of [...late, ...writtenLate])
    if (removed) oracle.expectations.except(rule, item);
  const { drift, stuck } = driftOf(world);
  for (const one of drift)
    if (!awaitsPerson(world, one)) findings.violated(1, one.what, `${one.rule} ${keyText(one.item)}`);
  for (const one of stuck)
    if (!isDeadLettered(world, one))
      findings.violated(
        4,
        'what only a person can mend is not dead-lettered',
        `${one.rule} ${keyText(one.item)}`,
      );
  if (isFirst) checkAged(world);
  if (world.registry.archives.length > 0) await checkArchive(world);
}

/** Whether an index was so late with this item that only a repair finds it, or, where its root is gone, a person. */
function isLate({ lateOnIndexes, registry, deployments }: World, { item, rule }: Stuck): boolean {
  // The members of a target may be at any place.
  if (registry.aggregate(rule) !== undefined) return lateOnIndexes.size > 0;
  return lateOnIndexes.has(keyText(item)) && deployments.isIndexed(rule);
}

/** Whether a write of a removed root's copy was on its way for longer than the recheck waits: a stated exception of the design. */
function isWrittenLate({ writtenLate }: World, { item, removed }: FoundDrift): boolean {
  return removed && writtenLate.has(keyText(item));
}

/**
 * A removal from when its root could not say where its copies are; a copy that was too large and has been given room since; or one
 * whose key was taken, or had an invalid copy that named no root, and is free: nothing but the dead letter leads to its root.
 */
function awaitsPerson(world: World, drift: FoundDrift): boolean {
  const { queue, table } = world;
  if (drift.removed) return isDeadLettered(world, drift);
  const codes = ['copy.too-large', 'copy.taken', ...(table.read(drift.item) ? [] : ['copy.invalid'])];
  return queue.deadLettered.some(
    ({ code, message }) =>
      codes.includes(code) && message?.copies?.some((copy) => keyText(copy) === keyText(drift.item)),
  );
}

/** Without faults there are as many writes as copies that differ; one thing after another, none loses its condition, however late the indexes. */
async function checkWriteCounts(seed: number, simulated: SimulatedRun, world: World): Promise<void> {
  const { findings, oracle, counts } = world;
  await write(simulated, world, seed ^ 0xca1f);
  const { drift, stuck } = driftOf(world);
  // Two roots may miss a copy at one key: it is created once.
  const writesOf = (some: readonly FoundDrift[]) =>
    [...new Map(some.map((one) => [`${one.rule} ${keyText(one.item)}`, one])).values()].reduce(
      (sum, one) => sum + one.writes,
      0,
    );
  // A copy whose key is taken is created if the key becomes free.
  const taken = stuck.filter(({ rule }) => world.registry.rule(rule)?.creates).length;
  const needed = writesOf(drift) + taken;
  const { written, lost } = counts;
  const { optionalRemovals } = oracle;
  // Indexes are late, though less than the recheck delay.
  const lag = world.profile.settings.recheckDelaySeconds * 300;
  await checkRest(world, false, lag);
  const certain = writesOf(drift.filter((one) => !awaitsPerson(world, one)));
  const writes = counts.written - written - (oracle.optionalRemovals - optionalRemovals);
  if (findings.violations.length === 0 && (writes > needed || writes < certain))
    findings.violated(6, 'writes are not as many as copies that differed', `${writes} for ${needed}`);
  if (world.profile.settings.concurrency === 1 && counts.lost > lost)
    findings.violated(
      6,
      'a write loses its condition though nobody else writes',
      `${counts.lost - lost} times`,
    );
}

/** Records are lost, and a repair makes copies and totals right. What is to be removed, it leaves to a person. */
async function checkRepair(seed: number, simulated: SimulatedRun, world: World): Promise<void> {
  const { findings, stream, queue } = world;
  await write(simulated, world, seed ^ 0x10575);
  findings.fault('records that outlive the stream', stream.lose());
  queue.send(repairsOf(world));
  if (!(await quiesce(world, false))) findings.violated(7, 'rest does not come', 'after a repair');
  for (const one of driftOf(world).drift)
    if (!one.removed && !awaitsPerson(world, one))
      findings.violated(1, `after a repair, ${one.what}`, `${one.rule} ${keyText(one.item)}`);
}

/** The propagations by which a command repairs everything. They name copies: nothing looks for them on an index, which may be late. */
function repairsOf({ table, registry }: World): Message[] {
  return table
    .items()
    .flatMap((item) => candidatesIn(registry, { key: keyIn(table.names, item), item }))
    .flatMap(repairOf);
}

function repairOf(candidate: Candidate): Message[] {
  const repair = { rule: candidate.rule.name, cause: 'repair', attempts: 0 } as const;
  switch (candidate.is) {
    case 'copy': {
      const root = rootNamed(candidate.rule, candidate.copy);
      return 'pk' in root ? [{ ...repair, root, copies: [candidate.copy.key] }] : [];
    }
    case 'target': {
      const { rule, copy } = candidate;
      // A head is always what its entries add up to.
      return isOfKind(rule.on, copy.item) ? [{ ...repair, root: copy.key }] : [];
    }
    case 'placed':
      return [{ ...repair, root: candidate.root, copies: [candidate.key] }];
    case 'entry':
      return [{ ...repair, root: candidate.target, copies: [candidate.member] }];
    case 'member':
      return candidate.rule.creates ? [{ ...repair, root: candidate.target }] : [];
    case 'made':
      return [{ ...repair, root: candidate.target }];
  }
}
