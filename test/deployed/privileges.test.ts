/**
 * Least privilege from both sides. Each action that a role's policy allows is taken out by itself, in place, and the plays
 * of its function are run again: one of them must be refused. So a function cannot do with less, and has nothing that it
 * does not use.
 */
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applicationOf } from './application.ts';
import { forgetLocations } from './archive-bucket.ts';
import { clients, cloud } from './here.ts';
import { invoke } from './invoke.ts';
import { incidentItems } from './items.ts';
import { type FunctionId, plays } from './plays.ts';
import { isShown, notShown } from './privileges-not-shown.ts';
import { actionsOf, allow, policyOf, type RolePolicy, type Statement } from './role-policies.ts';
import { deploy, type Stack } from './stack.ts';

// Verify reads whatever stands in the table: it comes first, while that is only what its play puts there.
const functionIds = ['Verify', 'Propagate', 'Archive', 'FanOut', 'Sweep', 'Heartbeat'] as const;

let stack: Stack;
const policies = new Map<FunctionId, RolePolicy>();

/** Each action of each resource by itself. */
function allowancesOf({ statements }: RolePolicy): Statement[] {
  return statements.flatMap((statement) =>
    actionsOf(statement).flatMap((Action) =>
      [statement.Resource].flat().map((Resource) => ({ ...statement, Action, Resource })),
    ),
  );
}

/** MiniStack looks at no leading keys: what two statements allow for other keys is taken out of both. */
function isAlike(one: Statement, other: Statement): boolean {
  return one.Action === other.Action && JSON.stringify(one.Resource) === JSON.stringify(other.Resource);
}

/** Runs the plays of a function until one fails; undefined where none does. */
async function failure(id: FunctionId): Promise<string | undefined> {
  const application = applicationOf(clients.application, stack.table);
  for (const [name, event] of Object.entries(plays[id])) {
    await forgetLocations(clients, stack);
    const { error, failures } = await invoke(clients, stack.functions[id], await event(application));
    if (error !== undefined) return `${name}: ${error}`;
    if (failures > 0) return `${name}: ${failures} failed`;
  }
  return undefined;
}

/** Written when the stack had just been deployed, and then left alone. */
const untouched = incidentItems(2);

beforeAll(async () => {
  // The mappings of the stream are off, and so is that of the queue: nothing invokes these functions but the plays.
  stack = await deploy(cloud, 'denorm-privileges', {
    ...{ Stage: 'privileges', PropagateEnabled: 'false', ArchiveEnabled: 'false' },
    ...{ RecheckDelaySeconds: '900', PageLimit: '5' },
    // With few read units, large items of other plays would make Verify read roots one by one.
    ...{ VerifySamplePercent: '100', VerifyReadUnits: '1000' },
  });
  const application = applicationOf(clients.application, stack.table);
  await application.put({ ...untouched.root, ...untouched.said, State: 'CLOSED' }, ...untouched.copies);
  const FunctionName = stack.functions.FanOut;
  const mappings = await clients.lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  for (const { UUID } of mappings.EventSourceMappings ?? [])
    await clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  for (const id of functionIds) policies.set(id, await policyOf(clients, stack.functions[id]));
});

describe.each(functionIds)('the role of %s', (id) => {
  const policy = () => policies.get(id) ?? expect.fail('no policy was read');

  afterAll(() => allow(clients, policy(), policy().statements));

  it('allows everything that its function does', async () => {
    expect(await failure(id)).toBeUndefined();
  });

  it('is enforced: the function fails if it allows nothing', async () => {
    await allow(clients, policy(), []);
    expect(await failure(id)).toMatch(/denied/);
  });

  it('allows nothing that its function does not need', async () => {
    const missed: string[] = [];
    const idle: string[] = [];
    const allowances = allowancesOf(policy());
    for (const taken of allowances.filter(({ Sid }) => isShown(Sid))) {
      const others = allowances.filter((one) => !isAlike(one, taken));
      await allow(
        clients,
        policy(),
        others.map((one, index) => ({ ...one, Sid: `S${index}` })),
      );
      const failed = await failure(id);
      const what = `${taken.Sid} ${taken.Action} ${JSON.stringify(taken.Resource)}`;
      if (failed !== undefined && /denied/i.test(failed)) missed.push(`${what}: ${failed}`);
      else idle.push(`${what}: ${failed ?? 'not missed'}`);
    }
    console.log(missed.map((line) => `${id} without ${line}`).join('\n'));
    expect(idle).toEqual([]);
    expect(missed.length).toBeGreaterThan(1);
  }, 240_000);
});

it('every exception for the emulator names an existing statement', () => {
  const sids = [...policies.values()].flatMap(({ statements }) => statements.map(({ Sid }) => Sid));
  expect(Object.keys(notShown).filter((sid) => !sids.includes(sid))).toEqual([]);
});

it('a stack with disabled mappings leaves the table alone', async () => {
  const application = applicationOf(clients.application, stack.table);
  for (const copy of untouched.copies) expect(await application.get(copy)).toEqual(copy);
});
