/**
 * Least privilege from both sides. Each action that a role's policy allows is taken out by itself, in place, and the plays
 * of its function are run again: one of them must be refused. So a function cannot do with less, and has nothing that it
 * does not use.
 */
import { GetFunctionConfigurationCommand, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { DeleteRolePolicyCommand, GetRolePolicyCommand, ListRolePoliciesCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { applicationOf } from './application.ts';
import { invoke } from './invoke.ts';
import { type FunctionId, playsOf } from './plays.ts';
import { isShown, notShown } from './privileges-not-shown.ts';
import { clientsOf, deploy, type Stack } from './stack.ts';
import { until } from './until.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface Policy {
  readonly role: string;
  readonly name: string;
  readonly statements: readonly Statement[];
}

const cloud = inject('cloud');
const clients = clientsOf(cloud);
const functionIds = ['Propagate', 'Archive', 'FanOut'] as const;

let stack: Stack;
const policies = new Map<FunctionId, Policy>();

async function policyOf(functionName: string): Promise<Policy> {
  const { Role = '' } = await clients.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: functionName }),
  );
  const role = Role.split('/').at(-1) ?? '';
  const { PolicyNames = [] } = await clients.iam.send(new ListRolePoliciesCommand({ RoleName: role }));
  const [name = ''] = PolicyNames;
  expect(PolicyNames).toHaveLength(1);
  const { PolicyDocument = '' } = await clients.iam.send(
    new GetRolePolicyCommand({ RoleName: role, PolicyName: name }),
  );
  const document: { Statement: Statement[] } = JSON.parse(decodeURIComponent(PolicyDocument));
  return { role, name, statements: document.Statement };
}

async function put({ role, name }: Policy, statements: readonly Statement[]): Promise<void> {
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  await clients.iam.send(new PutRolePolicyCommand({ RoleName: role, PolicyName: name, PolicyDocument }));
}

const listOf = (one: string | readonly string[]): readonly string[] => (typeof one === 'string' ? [one] : one);

/** The policy without one action of one statement. A statement of several resources loses it for one of them. */
function without(statements: readonly Statement[], sid: string, action: string, resource?: unknown): Statement[] {
  return statements.flatMap((statement) => {
    if (statement.Sid !== sid) return [statement];
    const kept = listOf(statement.Action).filter((one) => one !== action);
    const rest = kept.length === 0 ? [] : [{ ...statement, Action: kept }];
    if (resource === undefined || !Array.isArray(statement.Resource)) return rest;
    const others = statement.Resource.filter((one) => one !== resource);
    return [...rest, { ...statement, Action: [action], Resource: others }];
  });
}

/** Runs the plays of a function until one is refused; undefined where none is. */
async function refusal(id: FunctionId): Promise<string | undefined> {
  const application = applicationOf(clients, stack.table);
  for (const { name, event } of playsOf(id)) {
    const { error } = await invoke(clients, stack.functions[id], await event(application));
    if (error !== undefined) return `${name}: ${error}`;
  }
  return undefined;
}

beforeAll(async () => {
  stack = await deploy(cloud, 'denorm-privileges', {
    ...{ Stage: 'privileges', PropagateEnabled: 'false', ArchiveEnabled: 'false', SettleDelaySeconds: '900', PageLimit: '5' },
  });
  const { EventSourceMappings = [] } = await clients.lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName: stack.functions.FanOut }),
  );
  for (const { UUID } of EventSourceMappings)
    await clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  for (const id of functionIds) policies.set(id, await policyOf(stack.functions[id]));
});

describe.each(functionIds)('the role of %s', (id) => {
  const policy = () => policies.get(id) ?? expect.fail('no policy was read');

  afterAll(() => put(policy(), policy().statements));

  it('is the one that is enforced: with no policy, all is refused', async () => {
    const { role, name } = policy();
    await clients.iam.send(new DeleteRolePolicyCommand({ RoleName: role, PolicyName: name }));
    expect(await until('a refusal', () => refusal(id))).toMatch(/denied/);
  });

  it('allows all that its function does', async () => {
    await put(policy(), policy().statements);
    expect(await refusal(id)).toBeUndefined();
  });

  it('allows nothing that its function could do without', async () => {
    const idle: string[] = [];
    const refusals: string[] = [];
    for (const { Sid, Action, Resource } of policy().statements.filter((one) => isShown(one.Sid)))
      for (const action of listOf(Action))
        for (const resource of Array.isArray(Resource) ? Resource : [undefined]) {
          await put(policy(), without(policy().statements, Sid, action, resource));
          const refused = await refusal(id);
          refusals.push(`${Sid} ${action}: ${refused ?? 'not missed'}`);
          if (refused === undefined || !/denied|AccessDenied/.test(refused))
            idle.push(`${Sid} ${action} ${String(resource ?? '')} (${refused ?? 'not missed'})`);
        }
    console.log(refusals.map((line) => `  ${id} without ${line.slice(0, 160)}`).join('\n'));
    expect(idle).toEqual([]);
    expect(refusals.length).toBeGreaterThan(3);
  }, 240_000);
});

it('every reason for what the emulator cannot show is about a statement that there is', () => {
  const sids = [...policies.values()].flatMap(({ statements }) => statements.map(({ Sid }) => Sid));
  expect(Object.keys(notShown).filter((sid) => !sids.includes(sid))).toEqual([]);
});
