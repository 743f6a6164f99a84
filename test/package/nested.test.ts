import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { projectFolder } from '../../scripts/python-tools.ts';
import { applicationOf } from '../deployed/application.ts';
import { clientsOf, outputsAllowed } from '../deployed/stack.ts';
import { expandTo } from '../template/expanded-template.ts';
import { samEnvironment } from './sam-environment.ts';
import { outside, succeeds } from './shell.ts';

const page = readFileSync(join(projectFolder, 'docs/deploy.md'), 'utf8');
const [, init = '', install = '', stack = '', build = '', deploy = ''] =
  /is a nested application, [\s\S]*?```sh\n(.*)\n(.*)\n```[\s\S]*?```yaml\n([\s\S]*?)```\n\n```sh\n([\s\S]*?) && (.*)\n```/.exec(
    page,
  ) ?? [];

const table = `
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: PK, AttributeType: S }, { AttributeName: SK, AttributeType: S }]
      KeySchema: [{ AttributeName: PK, KeyType: HASH }, { AttributeName: SK, KeyType: RANGE }]`;
const application = `
  Own:
    Type: AWS::Serverless::Function
    Properties: { Runtime: nodejs22.x, Handler: own.handler, CodeUri: src }
`;
const expanded = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.looseObject({}) })),
});

test('an application of SAM that has a table nests the project, as the page says', async () => {
  const { folder, remove } = outside();
  onTestFinished(remove);
  const emulator = inject('emulator');
  const shell = samEnvironment(emulator, join(inject('empty'), 'node_modules/.bin'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/own.mjs'), 'export const handler = async () => {};\n');
  const own = stack
    .replace('     # beside what it has', table)
    .replace('Outputs:', `${application}Outputs:\n  Table: { Value: !Ref Table }`);
  writeFileSync(join(folder, 'template.yaml'), `Transform: AWS::Serverless-2016-10-31\n${own}`);
  await succeeds(init.replace('npx ', ''), folder, shell);
  // What `npm install` would install.
  symlinkSync(join(inject('blog'), 'node_modules'), join(folder, 'denorm/node_modules'));
  await succeeds(install.replace('npm install', 'true'), folder, shell);

  await succeeds(build, folder, shell);
  await transform(join(folder, '.aws-sam/build/Denorm/template.yaml'));
  await succeeds(
    `${deploy} --stack-name teams --resolve-s3 --no-confirm-changeset --no-progressbar`,
    folder,
    shell,
  );
  const output = await outputsAllowed(emulator, 'teams');
  await outputsAllowed(emulator, output('Denorm'));
  const teams = applicationOf(clientsOf(emulator).application, output('Table'));
  const member = { PK: 'TEAM#1', SK: 'MEMBER#1', Type: 'Member', teamName: 'Blue', memberName: 'Ada' };
  await teams.put(member, { PK: 'TEAM#1', SK: 'TEAM', Type: 'Team', teamName: 'Red' });

  await teams.holds(member, { teamName: 'Red' }, 120_000);
  expect(
    await succeeds(`npx denorm verify --stack ${output('Denorm')}`, join(folder, 'denorm'), shell),
  ).toContain('; found nothing; ');
});

/** Does for a nested template what CloudFormation does and the emulator does not. */
async function transform(file: string): Promise<void> {
  await expandTo(file, file);
  const { Resources, ...others } = expanded.parse(JSON.parse(readFileSync(file, 'utf8')));
  for (const [id, { Type, Properties }] of Object.entries(Resources))
    if (Type === 'AWS::Lambda::Function') Properties['Code'] = id;
  writeFileSync(file, JSON.stringify({ ...others, Resources }));
}
