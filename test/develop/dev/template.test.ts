import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventFilter } from '../../../src/develop/dev/event-source/event-filter.ts';
import { patternsOf, readTemplate } from '../../../src/develop/dev/template.ts';
import { parseTemplate, resolver } from '../../../src/develop/dev/template-values.ts';
import { templatePath } from '../../fixtures/application/paths.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { streamRecord } from './stream-records.ts';

function written(text: string): string {
  const path = join(newFolder(), 'template.yaml');
  writeFileSync(path, text);
  return path;
}

const small = `
Parameters:
  Lanes: { Type: Number, Default: 3 }
  Big: { Type: String, Default: 'false' }
Conditions:
  IsBig: !Equals [!Ref Big, 'true']
Globals: { Function: { Timeout: 20 } }
Resources:
  Propagate: &function
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Stream:
          Type: DynamoDB
          Properties:
            Stream: !GetAtt Table.StreamArn
            StartingPosition: LATEST
            ParallelizationFactor: !Ref Lanes
            BatchSize: !If [IsBig, 1000, 10]
            Enabled: !If [IsBig, !Ref AWS::NoValue, false]
  Archive: *function
  FanOut:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: 40
      Events: { Q: { Type: SQS, Properties: { Queue: !GetAtt Work.Arn } } }
  Work:
    Type: AWS::SQS::Queue
    Properties: { VisibilityTimeout: 240, RedrivePolicy: { maxReceiveCount: 7 } }
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      KeySchema: [{ AttributeName: pk, KeyType: HASH }]
      AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }]
      StreamSpecification: { StreamViewType: NEW_AND_OLD_IMAGES }
`;

describe('the template', () => {
  it('contains the table, with its indexes, expiry attribute and stream', () => {
    const { table } = readTemplate(templatePath);
    expect(table.KeySchema.map(({ AttributeName }) => AttributeName)).toEqual(['PK', 'SK']);
    expect(table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)).toEqual(['GSI1', 'GSI2', 'GSI3']);
    expect(table.GlobalSecondaryIndexes.every(({ Projection }) => Projection.ProjectionType === 'ALL')).toBe(
      true,
    );
    expect(table.TimeToLiveSpecification?.AttributeName).toBe('ExpiresAt');
    expect(table.StreamSpecification.StreamViewType).toBe('NEW_AND_OLD_IMAGES');
  });

  it('contains two stream mappings that start at the oldest record, retry while the stream has it and report failures', () => {
    const { Propagate, Archive } = readTemplate(templatePath).functions;
    for (const one of [Propagate, Archive]) {
      const { mapping } = one ?? expect.fail('no such function');
      expect(mapping).toMatchObject({
        Enabled: true,
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BisectBatchOnFunctionError: true,
      });
      expect(mapping.MaximumRetryAttempts).toBe(-1);
      expect(mapping.MaximumRecordAgeInSeconds).toBe(23 * 3600);
    }
  });

  it('contains a queue with six times the timeout of its function', () => {
    const { FanOut } = readTemplate(templatePath).functions;
    expect(FanOut.visibilityTimeoutSeconds).toBe(6 * FanOut.timeoutSeconds);
    // A queue that refuses for hours makes no dead letters; SQS must still have the message when the queue recovers.
    expect(FanOut.maxReceiveCount * FanOut.visibilityTimeoutSeconds).toBe(86_400);
  });

  it('contains filters that a mapping accepts', () => {
    const { Propagate, Archive } = readTemplate(templatePath).functions;
    const [propagates, archives] = [Propagate, Archive].map((one) =>
      eventFilter(patternsOf((one ?? expect.fail('no such function')).mapping)),
    );
    expect(propagates?.(streamRecord(1, 'acct_X#inc_Y#incpart'))).toBe(true);
    expect(propagates?.(streamRecord(1, 'acct_X#team'))).toBe(false);
    expect(archives?.(streamRecord(1, 'acct_X#inc'))).toBe(false);
  });

  it('resolves parameters by their defaults, and the conditions on them', () => {
    const { functions, parameters } = readTemplate(written(small));
    const { mapping } = functions.Propagate;
    expect(mapping).toMatchObject({
      ParallelizationFactor: 3,
      BatchSize: 10,
      Enabled: false,
      StartingPosition: 'LATEST',
    });
    expect(parameters.get('Lanes')).toBe(3);
  });

  it('resolves parameters by given values instead', () => {
    const { mapping } = readTemplate(written(small), { Big: 'true', Lanes: '5' }).functions.Propagate;
    expect(mapping).toMatchObject({ ParallelizationFactor: 5, BatchSize: 1000, Enabled: true });
  });

  it('takes common settings from Globals, and prefers the function’s own', () => {
    const { functions } = readTemplate(written(small));
    expect(functions.Propagate.timeoutSeconds).toBe(20);
    expect(functions.FanOut).toMatchObject({
      timeoutSeconds: 40,
      visibilityTimeoutSeconds: 240,
      maxReceiveCount: 7,
    });
  });

  it('uses the limits of Lambda if a mapping has no value', () => {
    const { Archive } = readTemplate(written(small)).functions;
    expect(Archive?.mapping).toMatchObject({
      MaximumBatchingWindowInSeconds: 0,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: -1,
      BisectBatchOnFunctionError: false,
      FunctionResponseTypes: [],
    });
  });

  it.each([
    ['an unknown starting position', ['LATEST', 'NEWEST'], /Propagate\.StartingPosition/],
    ['a parallelization factor above ten', ['Default: 3', 'Default: 11'], /Propagate\.ParallelizationFactor/],
    [
      'no redrive policy',
      ['RedrivePolicy: { maxReceiveCount: 7 }', 'DelaySeconds: 0'],
      /Work\.RedrivePolicy/,
    ],
    [
      'another resource instead of the queue',
      ['AWS::SQS::Queue', 'AWS::SNS::Topic'],
      /Work of type AWS::SQS::Queue/,
    ],
    ['a function of another name', ['  FanOut:', '  FanOuts:'], /FanOut/],
    ['invalid YAML', ['Resources:', '}'], /template\.yaml/],
  ])('is refused with %s, and the message names the location', (_, [from = '', to = ''], location) => {
    const path = written(small.replace(from, to));
    expect(() => readTemplate(path)).toThrow(expect.objectContaining({ code: 'template.invalid' }));
    expect(() => readTemplate(path)).toThrow(location);
  });

  it('may have no Archive', () => {
    const { functions } = readTemplate(written(small.replace('  Archive: *function\n', '')));
    expect(functions.Archive).toBeUndefined();
    expect(functions.Propagate.mapping.StartingPosition).toBe('LATEST');
  });

  it('is refused with a filter that is not JSON', () => {
    const filtered = small.replace(
      'StartingPosition',
      "FilterCriteria: { Filters: [{ Pattern: 'x' }] }\n            StartingPosition",
    );
    expect(() => readTemplate(written(filtered))).toThrow(/Propagate\.FilterCriteria\.Filters\.0\.Pattern/);

    const six = small.replace(
      'StartingPosition',
      `FilterCriteria: { Filters: [${"{ Pattern: '{}' }, ".repeat(6)}] }\n            StartingPosition`,
    );
    expect(() => readTemplate(written(six))).toThrow(
      /Propagate\.FilterCriteria\.Filters: Expected at most 5 filters/,
    );
  });
});

describe('a value of the template', () => {
  const template = parseTemplate(`
Parameters: { Name: { Default: app }, Empty: { Default: '' } }
Conditions:
  HasName: !Not [!Equals [!Ref Name, '']]
  HasBoth: !And [!Condition HasName, !Not [!Equals [!Ref Empty, '']]]
  HasOne: !Or [!Condition HasBoth, !Condition HasName]
Resources:
  Any:
    Type: X
    Properties:
      sub: !Sub 'table-\${Name}'
      unknownSub: !Sub '\${AWS::Region}-\${Name}'
      join: !Join ['-', [a, !Ref Name]]
      both: !If [HasBoth, 1, 2]
      one: !If [HasOne, 1, 2]
      att: !GetAtt Table.StreamArn
      list: [!If [HasBoth, x, !Ref AWS::NoValue], y]
`);
  const { resolve } = resolver(
    template,
    new Map([
      ['Name', 'app'],
      ['Empty', ''],
    ]),
  );

  it('is resolved as far as the parameters allow, and the rest is unchanged', () => {
    expect(resolve(template.Resources.Any?.Properties)).toEqual({
      sub: 'table-app',
      unknownSub: { 'Fn::Sub': expect.stringContaining('AWS::Region') },
      join: 'a-app',
      both: 2,
      one: 1,
      att: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      list: ['y'],
    });
  });
});
