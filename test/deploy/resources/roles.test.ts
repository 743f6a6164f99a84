import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../../denorm.config.ts';
import { sub } from '../../../src/deploy/cloudformation.ts';
import { usageOf } from '../../../src/deploy/needs/usage.ts';
import { functionsOf } from '../../../src/deploy/resources/functions.ts';
import { filled } from '../../../src/model/kinds/key-pattern.ts';
import type { EmptyPolicy } from '../../../src/model/rules/aggregate.ts';
import { type Config, defineConfig } from '../../../src/model/rules/config.ts';
import { table as modelTable } from '../../fixtures/model/table.ts';
import { salesOfDay } from '../../fixtures/world/days.ts';
import { contenderTotals } from '../../fixtures/world/totals.ts';
import { archiveOnly, blog, clearing, creating, everything, manyKinds } from '../configs.ts';
import { existing, ofType } from '../plain.ts';

const listOf = <Schema extends z.ZodType>(one: Schema) =>
  z.union([z.array(one), one.transform((alone) => [alone])]);
const statement = z.object({
  ...{ Sid: z.string(), Effect: z.literal('Allow'), Action: listOf(z.string()) },
  ...{ Resource: listOf(z.unknown()), Condition: z.unknown().optional() },
});
const role = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) })),
});
type Statement = z.output<typeof statement>;

/** The statements of each function's role by their Sid. */
function statementsOf(
  config: Config,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, Readonly<Record<string, Statement>>>> {
  const roles = Object.entries(ofType('AWS::IAM::Role', config, given));
  return Object.fromEntries(
    roles.map(([id, { Properties }]) => {
      const all = role.parse(Properties).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      return [id.replace(/Role$/, ''), Object.fromEntries(all.map((one) => [one.Sid, one]))];
    }),
  );
}

describe('the policy of', () => {
  const of = (config: Config) => statementsOf(config, config === everything ? { ArchiveErase: true } : {});
  const contenders = (members = contenderTotals.members) =>
    defineConfig({ table: modelTable, rules: [], aggregates: [{ ...contenderTotals, members }] });
  const updating = ['dynamodb:UpdateItem', 'dynamodb:PartiQLUpdate'];
  const index = (name: string) => sub(`\${Table.Arn}/index/${name}`);

  test.each([
    ['that of the repository', shipped],
    ['a blog without an archive', blog],
    ['everything', everything],
  ])('no function allows it to put items, or any action, by the config of %s', (_, config) => {
    const actions = Object.values(of(config)).flatMap((one) =>
      Object.values(one).flatMap(({ Action }) => Action),
    );

    expect(actions.length).toBeGreaterThan(20);
    expect(actions.filter((action) => /PutItem|\*/.test(action))).toEqual([]);
  });

  test.each(['Propagate', 'FanOut'])('%s names only the indexes and actions that rules need', (name) => {
    const least = of(blog)[name];
    expect(least?.['ReadRootsAndCopies']?.Action).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem']);
    expect(least?.['LocateCopies']?.Resource).toEqual([index('by-author')]);
    expect(least?.['WriteCopies']?.Action).toEqual(updating);
    expect(least).not.toHaveProperty('CheckRoots');

    const most = of(everything)[name];
    expect(most?.['ReadRootsAndCopies']?.Action).toContain('dynamodb:Query');
    expect(most?.['LocateCopies']?.Resource).toEqual([index('by-author')]);
    expect(most?.['DeleteCopies']?.Action).toEqual(['dynamodb:DeleteItem']);

    expect(of(creating)[name]?.['CreateCopies']?.Action).toEqual(['dynamodb:PutItem']);
    expect(of(clearing)[name]?.['WriteCopies']?.Action).toEqual(updating);
    for (const sid of ['CreateCopies', 'DeleteCopies']) expect(of(clearing)[name]).not.toHaveProperty(sid);
    for (const checking of [most, of(creating)[name], of(clearing)[name]])
      expect(checking?.['CheckRoots']?.Action).toEqual(['dynamodb:ConditionCheckItem']);
    expect(of(clearing)[name]?.['LocateCopies']?.Resource).toEqual(['by-author', 'by-editor'].map(index));
    for (const sid of ['LocateCopies', 'WriteCopies']) expect(of(archiveOnly)[name]).not.toHaveProperty(sid);
  });

  test('a function on an existing table names that and its indexes', () => {
    const { LocateCopies, WriteCopies } = statementsOf(blog, existing)['Propagate'] ?? {};
    const arn = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/app`;

    expect(WriteCopies?.Resource).toEqual([sub(arn)]);
    expect(LocateCopies?.Resource).toEqual([sub(`${arn}/index/by-author`)]);
  });

  test('each function that writes is on condition of the partition keys that rules write', () => {
    const ofKeys = (...patterns: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    });
    for (const name of ['Propagate', 'FanOut']) {
      expect(of(blog)[name]?.['WriteCopies']?.Condition).toEqual(ofKeys('post/*'));
      expect(of(blog)[name]?.['ReadRootsAndCopies']?.Condition).toBeUndefined();
      expect(of(everything)[name]?.['CheckRoots']?.Condition).toBeUndefined();
      expect(of(contenders())[name]?.['WriteCopies']?.Condition).toEqual(
        ofKeys(filled(contenderTotals.on.pkPattern, () => '*')),
      );
    }
    expect(of(everything)['Sweep']?.['GiveExpiry']?.Condition).toEqual(ofKeys('post/*', 'author/*'));
  });

  test('of the item of the heartbeat, three functions may write it, and one reads it with the pauses', () => {
    const onKeys = (...keys: string[]) => ({
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } },
    });
    const { Heartbeat, FanOut, Archive, ...others } = of(everything);
    for (const [role, sid] of [
      [Heartbeat, 'SendBeats'],
      [FanOut, 'NoteBeats'],
      [Archive, 'NoteArchivedBeats'],
    ] as const)
      expect(role?.[sid]).toMatchObject({
        ...{ Action: ['dynamodb:UpdateItem'], ...onKeys('~denorm#HEARTBEAT') },
      });
    expect(Heartbeat?.['ReadBeatsAndPauses']).toMatchObject({
      ...{ Action: ['dynamodb:GetItem'], ...onKeys('~denorm#PAUSES', '~denorm#HEARTBEAT') },
    });
    expect(Object.keys(Heartbeat ?? {})).toEqual(['ReadBeatsAndPauses', 'SendBeats', 'WriteLog']);
    expect(JSON.stringify(others)).not.toContain('HEARTBEAT');
  });

  test('only targets that an aggregate makes may be put, and deleted if it removes them', () => {
    const making = (onEmpty: EmptyPolicy) =>
      defineConfig({ table: modelTable, rules: [], aggregates: [salesOfDay(onEmpty), contenderTotals] });
    const onDays = { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['SHOP#*'] } } };
    for (const name of ['Propagate', 'FanOut']) {
      const { CreateCopies, DeleteCopies, ...rest } = of(making('delete'))[name] ?? {};
      expect(CreateCopies).toMatchObject({ Action: ['dynamodb:PutItem'], ...onDays });
      expect(DeleteCopies).toMatchObject({ Action: ['dynamodb:DeleteItem'], ...onDays });
      // It puts and deletes them without a condition on another item.
      expect(rest).not.toHaveProperty('CheckRoots');
      expect(of(making('keep'))[name]).toHaveProperty('CreateCopies');
      expect(of(making('keep'))[name]).not.toHaveProperty('DeleteCopies');
      expect(of(contenders())[name]).not.toHaveProperty('CreateCopies');
    }
  });

  test('Propagate, FanOut and Verify query the members of aggregates', () => {
    const { FanOut, Verify } = of(contenders());
    expect(FanOut?.['ReadRootsAndCopies']?.Action).toContain('dynamodb:Query');
    expect(FanOut?.['LocateCopies']?.Resource).toEqual([index('ByOwner')]);
    expect(Verify?.['CompareCopies']?.Action).toContain('dynamodb:Query');
    expect(Verify?.['FindMembers']?.Resource).toEqual([index('ByOwner')]);
    expect(Verify?.['SeeWhatWaits']).toMatchObject({
      ...{ Action: ['sqs:GetQueueAttributes'], Resource: [{ 'Fn::GetAtt': ['FanOutQueue', 'Arn'] }] },
    });

    const inPartition = contenderTotals.members.filter((location) => location.in === 'partition');
    const partition = of(contenders(inPartition))['Verify'];
    expect(partition?.['CompareCopies']?.Action).toContain('dynamodb:Query');
    expect(partition).not.toHaveProperty('FindMembers');
    expect(of(everything)['Verify']?.['CompareCopies']?.Action).not.toContain('dynamodb:Query');
    expect(of(everything)['Verify']).not.toHaveProperty('FindMembers');
  });

  test('Archive and Sweep has manifests, erasures and searches only if a rule uses them', () => {
    const special = ['ArchiveManifests', 'NoteErasures', 'FindVersions', 'EraseVersions'];
    const specialOf = (config: Config, name: string) =>
      Object.keys(of(config)[name] ?? {}).filter((sid) => special.includes(sid));

    for (const name of ['Archive', 'Sweep']) expect(specialOf(everything, name)).toEqual(special);
    expect(Object.keys(statementsOf(everything)['Archive'] ?? {})).not.toContain('EraseVersions');
    expect(specialOf(archiveOnly, 'Archive')).toEqual([]);
    expect(of(everything)['Sweep']?.['FindAgedItems']?.Resource).toEqual([index('by-date')]);
    expect(of(everything)['Sweep']?.['ReadAgedItems']?.Action).toEqual([
      ...['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan'],
    ]);
  });
});

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

/** The actions in KMS that a function's role allows, by the service through which. */
function keyActions(config: Config, name: string, given: Readonly<Record<string, unknown>>) {
  const statements = Object.values(statementsOf(config, given)[name] ?? {});
  const ofKeys = statements.filter(({ Action }) => Action.some((one) => one.startsWith('kms:')));
  return Object.fromEntries(
    ofKeys.map(({ Action, Resource, Condition }) => {
      expect(Resource).toEqual([key]);
      const [, service] = /"(\w+)\.\$\{AWS::Region\}/.exec(JSON.stringify(Condition)) ?? [];
      const hosts = ['amazonaws.com', `\${AWS::URLSuffix}`];
      const services = hosts.map((host) => sub(`${service}.\${AWS::Region}.${host}`));
      expect(Condition).toEqual({ StringEquals: { 'kms:ViaService': services } });
      return [service, Action];
    }),
  );
}

const reads = ['kms:Decrypt'];
/** Source: DynamoDB Developer Guide, "How Amazon DynamoDB uses AWS KMS", authorizing use of a customer managed key. */
const writes = ['kms:Decrypt', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'];
const tableKeyOf = {
  ...{ Propagate: writes, Archive: writes, FanOut: writes, Sweep: writes, Verify: reads, Heartbeat: writes },
};

/** Sending to a queue decrypts too. Sources: SQS Developer Guide, "Key management"; S3 User Guide, "Using server-side encryption with AWS KMS". */
const both = ['kms:GenerateDataKey', 'kms:Decrypt'];
const stackKeyOf = {
  // What Lambda puts into its failure bucket, Propagate never reads.
  Propagate: { s3: ['kms:GenerateDataKey'], sqs: both },
  ...{ Archive: { s3: both, sqs: both }, FanOut: { sqs: both }, Sweep: { s3: both }, Verify: {} },
  Heartbeat: {},
};

describe.each([
  ['a blog', blog],
  ['everything', everything],
  ['eight kinds', manyKinds(8)],
])('in KMS, for %s,', (_, config) => {
  const functions = functionsOf(usageOf(config.registry({ disabled: [] })));

  test.each(functions)('%s has no permission without a key', (name) => {
    for (const given of [{}, existing]) expect(keyActions(config, name, given)).toEqual({});
  });

  test.each(functions)('%s may use the key of the table only through DynamoDB', (name) => {
    for (const given of [{}, existing])
      expect(keyActions(config, name, { ...given, TableKmsKeyArn: key })).toEqual({
        dynamodb: tableKeyOf[name],
      });
  });

  test.each(functions)('%s may use the key of the stack as it uses buckets and queues', (name) => {
    expect(keyActions(config, name, { StackKmsKeyArn: key })).toEqual(stackKeyOf[name]);
  });
});
