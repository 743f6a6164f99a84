import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stack, Tags } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  StreamViewType,
  Table,
  TableEncryption,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { runTool } from '../../scripts/sam.ts';
import { functionNames, serviceOf } from '../../src/model/work/settings.ts';
import { expandedTemplate } from '../template/expanded-template.ts';
import { asParameters, everySwitch, withoutOwnOfSam } from '../template/plain-cases.ts';
import { projectTemplate } from '../template/template-lint.ts';
import { codeOf, synthesized } from './stack.ts';

const tableArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/orders';
const orders = { tableName: 'orders', tableStreamArn: `${tableArn}/stream/1` };
const text = (name: string) => ({ name, type: AttributeType.STRING });
const keys = { partitionKey: text('PK'), sortKey: text('SK'), timeToLiveAttribute: 'ExpiresAt' };
const indexes = ['GSI1', 'GSI2', 'GSI3'].map((indexName) => ({
  ...{ indexName, partitionKey: text(`${indexName}PK`), sortKey: text(`${indexName}SK`) },
}));
const stream = StreamViewType.NEW_AND_OLD_IMAGES;

function withIndexes(table: Table | TableV2, some = indexes): Table | TableV2 {
  for (const index of some) table.addGlobalSecondaryIndex(index);
  return table;
}

/** CDK writes the variables of an environment as texts, which they are. */
function inTexts<Value>(resource: Value): Value {
  return JSON.parse(JSON.stringify(resource), (name, value) =>
    name === 'Variables'
      ? Object.fromEntries(
          Object.entries(value).map(([variable, one]) => [
            variable,
            typeof one === 'number' ? String(one) : one,
          ]),
        )
      : value,
  );
}

describe('what CDK writes', () => {
  test('is template.yaml, resource by resource, with every property', async () => {
    const { TableKmsKeyArn, AlarmTopicArn, ...others } = everySwitch;
    const { ExistingTableName: _, ExistingTableStreamArn: tableStreamArn, ...parameters } = others;
    const { Resources } = synthesized('Shop', (stack) => ({
      table: Table.fromTableAttributes(stack, 'Orders', {
        ...{ tableArn, tableStreamArn },
        encryptionKey: Key.fromKeyArn(stack, 'Key', TableKmsKeyArn),
      }),
      alarms: Topic.fromTopicArn(stack, 'Alarms', AlarmTopicArn),
      parameters,
    }));
    const expanded = (await expandedTemplate(projectTemplate))(asParameters(everySwitch));

    expect(Object.keys(Resources).toSorted()).toEqual(Object.keys(expanded).toSorted());
    for (const [id, { Metadata: _, ...resource }] of Object.entries(Resources))
      expect(withoutOwnOfSam(resource), id).toEqual(
        inTexts(withoutOwnOfSam(expanded[id] ?? expect.fail(id))),
      );
  });

  test.each([
    [
      'Table',
      (stack: Stack, encryptionKey: Key) =>
        withIndexes(
          new Table(stack, 'Orders', {
            ...{ ...keys, stream, encryptionKey },
            encryption: TableEncryption.CUSTOMER_MANAGED,
          }),
        ),
    ],
    [
      'TableV2',
      (stack: Stack, encryptionKey: Key) =>
        withIndexes(
          new TableV2(stack, 'Orders', {
            ...{ ...keys, billing: Billing.onDemand(), dynamoStream: stream },
            encryption: TableEncryptionV2.customerManagedKey(encryptionKey),
          }),
        ),
    ],
  ])('names a %s of the same stack, its stream and its key', (_, tableIn) => {
    const { Resources, Outputs } = synthesized('Shop', (stack) => ({
      table: tableIn(stack, new Key(stack, 'Key')),
      alarms: new Topic(stack, 'Alarms'),
      parameters: { StackKmsKeyArn: new Key(stack, 'StackKey').keyArn },
    }));
    const idOf = (type: string, start: string) =>
      Object.keys(Resources).find((id) => Resources[id]?.Type === type && id.startsWith(start)) ??
      expect.fail(type);
    const table = Object.keys(Resources).find((id) => id.startsWith('Orders')) ?? expect.fail('no table');
    const text = (id: string) => JSON.stringify(Resources[id]);

    expect(Resources['PropagateStream']?.Properties['EventSourceArn']).toEqual({
      'Fn::GetAtt': [table, 'StreamArn'],
    });
    expect(text('Verify')).toContain(`"TABLE_NAME":{"Ref":"${table}"}`);
    expect(Outputs['TableName']?.Value).toEqual({ Ref: table });
    expect(text('FanOutRole')).toContain(`"Fn::GetAtt":["${idOf('AWS::KMS::Key', 'Key')}","Arn"]`);
    expect(text('FanOutQueue')).toContain(`"Fn::GetAtt":["${idOf('AWS::KMS::Key', 'StackKey')}","Arn"]`);
    expect(text('DeadLettersAlarm')).toContain(`"AlarmActions":[{"Ref":"${idOf('AWS::SNS::Topic', '')}"}]`);
    expect(text('FanOutRole')).toContain(
      `{"Fn::Sub":["arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/\${ExistingTableName}`,
    );
  });

  test('has each function in a file of its own, whose handler Lambda finds', () => {
    const { Resources, folder } = synthesized('Shop', () => ({ table: orders }));

    for (const name of functionNames) {
      const made = Resources[name] ?? expect.fail(name);
      const { path } = codeOf(made, folder);
      const file = join(path, `${serviceOf(name)}.mjs`);
      expect(made.Properties['Handler']).toBe(`${serviceOf(name)}.handler`);
      expect(readdirSync(path)).toEqual([`${serviceOf(name)}.mjs`]);
      expect(readFileSync(file, 'utf8').includes(' as handler}')).toBe(true);
    }
  });

  test('can be changed as any resource can, and is tagged', () => {
    const { Resources } = synthesized(
      'Shop',
      () => ({ table: orders }),
      (denormalizer) => {
        Tags.of(denormalizer).add('team', 'orders');
        const propagate = denormalizer.template.getResource('Propagate');
        if (propagate instanceof CfnFunction) propagate.memorySize = 1024;
      },
    );

    expect(Resources['Propagate']?.Properties).toMatchObject({
      MemorySize: 1024,
      Tags: expect.arrayContaining([{ Key: 'team', Value: 'orders' }]),
    });
    expect(JSON.stringify(Resources['FanOutQueue'])).toContain('{"Key":"team","Value":"orders"}');
  });
});

test.each([
  [
    'a table without a stream',
    { table: { tableName: 'orders' } },
    /Shop\/Denorm to have a stream.*tableStreamArn/,
  ],
  [
    'an unknown parameter',
    { parameters: { PageLimits: 1 } },
    /a parameter of the stack \(.*\), got 'PageLimits'/,
  ],
  [
    'a value that is not allowed',
    { parameters: { PageLimit: 0 } },
    /PageLimit to be a number from 1 to 1000, got '0'/,
  ],
  ['a value that the schema rejects', { parameters: { StatusShards: 101 } }, /StatusShards.*schema accepts/],
  [
    'values that exclude each other',
    { parameters: { SweepEnabled: true, ArchiveEnabled: false } },
    /SweepEnabled requires/,
  ],
  [
    'no handler',
    { handlers: '/nowhere' },
    /handler of a function in \/nowhere\/propagate\.ts, found no such file/,
  ],
])('%s is refused before anything is deployed', (_, props, message) => {
  expect(() => synthesized('Shop', () => ({ table: orders, ...props }))).toThrow(message);
});

const tablesOfTheApp: readonly (readonly [string, (stack: Stack) => Table | TableV2, RegExp])[] = [
  [
    'a TableV2 without a stream',
    (stack) => withIndexes(new TableV2(stack, 'Orders', keys)),
    /Shop\/Denorm to have a stream, found none/,
  ],
  [
    'a stream without old images',
    (stack) => withIndexes(new Table(stack, 'Orders', { ...keys, stream: StreamViewType.NEW_IMAGE })),
    /to hold new and old images, found NEW_IMAGE/,
  ],
  [
    'another key',
    (stack) => withIndexes(new Table(stack, 'Orders', { ...keys, stream, partitionKey: text('pk') })),
    /key pk \(S\) and SK \(S\) instead of PK \(S\) and SK \(S\)/,
  ],
  [
    'a missing index',
    (stack) => withIndexes(new TableV2(stack, 'Orders', { ...keys, dynamoStream: stream }), indexes.slice(1)),
    /found others \(no index GSI1\): correct/,
  ],
  [
    'another TTL attribute',
    (stack) => withIndexes(new Table(stack, 'Orders', { ...keys, stream, timeToLiveAttribute: 'ttl' })),
    /to expire by ExpiresAt, found ttl/,
  ],
];

test.each(tablesOfTheApp)('a table of the app is refused: %s', (_, table, message) => {
  expect(() => synthesized('Shop', (stack) => ({ table: table(stack) }))).toThrow(message);
});

test('indexes that the table gets after the construct are seen', () => {
  const later: (Table | TableV2)[] = [];

  const made = synthesized(
    'Shop',
    (stack) => {
      const table = new TableV2(stack, 'Orders', { ...keys, dynamoStream: stream });
      later.push(table);
      return { table };
    },
    () => {
      for (const table of later) withIndexes(table);
    },
  );

  expect(Object.keys(made.Resources)).toContain('Propagate');
});

test('the types are those of CDK', async () => {
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { output } = await runTool(process.execPath, [tsc, '--noEmit', '--project', 'test/cdk']);

  expect(output).toBe('');
});
