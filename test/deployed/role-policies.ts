import {
  DeleteRolePolicyCommand,
  GetRolePolicyCommand,
  type IAMClient,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';

export interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** The one inline policy that the template gives a function's role. */
export interface RolePolicy {
  readonly role: string;
  readonly name: string;
  readonly statements: readonly Statement[];
}

/**
 * MiniStack takes the name of a batch request for the action that it needs, where AWS asks for another one. A role that is
 * allowed AWS's action is given the emulator's beside it, in a policy of its own; without the one, it has not the other.
 */
const standIns: Readonly<Record<string, (statement: Statement) => Partial<Statement>>> = {
  'dynamodb:PartiQLUpdate': () => ({ Action: 'dynamodb:BatchExecuteStatement', Resource: '*' }),
  'sqs:SendMessage': ({ Resource }) => ({ Action: 'sqs:SendMessageBatch', Resource }),
};
const standInPolicy = 'as-the-emulator-asks';

/** The actions of a statement. */
export function actionsOf({ Action }: Statement): readonly string[] {
  return typeof Action === 'string' ? [Action] : Action;
}

/** @throws Error where the role has not exactly one policy of its own */
export async function policyOf(
  { iam, lambda }: { readonly iam: IAMClient; readonly lambda: LambdaClient },
  functionName: string,
): Promise<RolePolicy> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
  const role = (await lambda.send(command)).Role?.split('/').at(-1) ?? '';
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName: role }));
  const [name = '', ...others] = PolicyNames.filter((one) => one !== standInPolicy);
  if (name === '' || others.length > 0)
    throw new Error(`Expected one policy on ${role}, got ${PolicyNames.join()}`);
  const get = new GetRolePolicyCommand({ RoleName: role, PolicyName: name });
  const { PolicyDocument = '' } = await iam.send(get);
  const { Statement: statements }: { Statement: Statement[] } = JSON.parse(
    decodeURIComponent(PolicyDocument),
  );
  return { role, name, statements };
}

/** What the emulator asks for, beside what these statements allow on AWS. */
export function emulatorAsks(statements: readonly Statement[]): Partial<Statement>[] {
  return statements.flatMap((statement) =>
    actionsOf(statement).flatMap((action) => {
      const standIn = standIns[action];
      return standIn === undefined ? [] : [{ Effect: 'Allow', ...standIn(statement) }];
    }),
  );
}

/** Replaces what the role is allowed, in place; with no statements it is allowed nothing. */
export async function allow(
  { iam }: { readonly iam: IAMClient },
  { role, name }: Pick<RolePolicy, 'role' | 'name'>,
  statements: readonly Statement[],
): Promise<void> {
  const replaced = emulatorAsks(statements);
  for (const [policy, Statement] of [[name, statements] as const, [standInPolicy, replaced] as const]) {
    const target = { RoleName: role, PolicyName: policy };
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    if (Statement.length > 0) await iam.send(new PutRolePolicyCommand({ ...target, PolicyDocument }));
    else await iam.send(new DeleteRolePolicyCommand(target)).catch(ignoreAbsence);
  }
}

function ignoreAbsence(error: unknown): void {
  if (!(error instanceof Error && error.name === 'NoSuchEntityException')) throw error;
}
