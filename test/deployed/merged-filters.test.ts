import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { emptySettings, sam } from '../../scripts/sam.ts';
import { projectStack, stackText } from '../../src/deploy/stack-template.ts';
import { manyKinds } from '../deploy/configs.ts';
import { clients, cloud } from './here.ts';
import { deployTemplate } from './stack.ts';
import { until } from './until.ts';

const kinds = Array.from({ length: 12 }, (_, kind) => kind);

describe('a project of twelve kinds, which five filters cannot tell apart', () => {
  let output: (key: string) => string;
  beforeAll(async () => {
    // In the repository, whose node_modules and tsconfig.json it is to find.
    const project = join(projectFolder, '.aws-sam/many-kinds');
    const build = join(project, 'build');
    mkdirSync(project, { recursive: true });
    cpSync(join(projectFolder, 'handlers'), join(project, 'handlers'), { recursive: true });
    writeFileSync(
      join(project, 'denorm.config.ts'),
      "import { manyKinds } from '../../test/deploy/configs.ts';\n\nexport default manyKinds(12);\n",
    );
    const template = join(project, 'template.yaml');
    writeFileSync(template, stackText(projectStack({ config: manyKinds(12) }), '1.2.3'));
    const settings = ['--config-file', emptySettings];
    await sam(['build', ...settings, '--template-file', template, '--build-dir', build]);
    output = await deployTemplate(cloud, 'denorm-many-kinds', join(build, 'template.yaml'));
  });

  it('is deployed with five filters', async () => {
    const command = new ListEventSourceMappingsCommand({ FunctionName: output('PropagateFunction') });
    const { EventSourceMappings = [] } = await clients.lambda.send(command);

    expect(EventSourceMappings.map(({ FilterCriteria }) => FilterCriteria?.Filters?.length)).toEqual([5]);
  });

  it('propagates a change of every kind', async () => {
    const TableName = output('TableName');
    const keyOf = (kind: number) => ({ pk: `P${kind}#x`, sk: `S${kind}#y` });
    for (const kind of kinds)
      await clients.application.send(
        new PutCommand({ TableName, Item: { ...keyOf(kind), kind: `K${kind}`, name: `name ${kind}` } }),
      );

    for (const kind of kinds)
      await until(`K${kind} has its copy`, async () => {
        const command = new GetCommand({ TableName, Key: keyOf(kind), ConsistentRead: true });
        return (await clients.application.send(command)).Item?.['copy'] === `name ${kind}`;
      });
  });
});
