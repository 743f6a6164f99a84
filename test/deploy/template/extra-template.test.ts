import { describe, expect, test } from 'vitest';
import { arnOf, ref, sub } from '../../../src/deploy/cloudformation.ts';
import { projectStack } from '../../../src/deploy/stack-template.ts';
import { withExtra } from '../../../src/deploy/template/extra-template.ts';
import { blog } from '../configs.ts';

const base = {
  Parameters: { Size: { Type: 'Number', Default: 1 } },
  Resources: {
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: { Tags: ['a', 'b'], Delay: 1, Name: sub('q'), Kind: ref('A') },
    },
    Topic: { Type: 'AWS::SNS::Topic' },
  },
};

describe("a project's own part", () => {
  test('merges maps deeply, replaces texts and lists, and removes what is null', () => {
    const { Resources, Outputs } = withExtra(
      base,
      `
Resources:
  Queue:
    Properties:
      Tags: [c]
      Delay: 2
      Name: ~
      Age: !Ref Size
  Topic: null
  Bucket: { Type: 'AWS::S3::Bucket' }
Outputs:
  Q: { Value: !GetAtt Queue.Arn }
`,
    );

    expect(Resources).toEqual({
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: { Tags: ['c'], Delay: 2, Age: ref('Size'), Kind: ref('A') },
      },
      Bucket: { Type: 'AWS::S3::Bucket' },
    });
    expect(Outputs).toEqual({ Q: { Value: arnOf('Queue') } });
  });

  test('replaces a function by a map and a map by a function, and merges neither', () => {
    const { Resources } = withExtra(
      base,
      'Resources:\n  Queue:\n    Properties: !If [A, { x: 1 }, !Sub b]\n    Type: { a: b }\n',
    );

    expect(Resources).toMatchObject({
      Queue: { Type: { a: 'b' }, Properties: { 'Fn::If': ['A', { x: 1 }, sub('b')] } },
    });
    expect(withExtra(base, 'Resources: { Queue: { Properties: { Kind: { a: b } } } }')).toMatchObject({
      Resources: { Queue: { Properties: { Kind: { a: 'b' } } } },
    });
  });

  test.each(['', '# nothing\n', '~\n'])('changes nothing if it has no content: %j', (extra) => {
    expect(withExtra(base, extra)).toEqual(base);
  });

  test.each([
    [
      'invalid YAML',
      'Resources:\n  A: [b\n',
      /^template\.extra\.yaml: 3:1: Expected YAML with functions of CloudFormation, got: /,
    ],
    ['a key twice', 'Resources:\n  A: 1\n  A: 2\n', /: 3:3: Expected YAML .* got: Map keys must be unique$/],
    [
      'a list',
      '- Resources\n',
      /: Expected the sections of a template, such as Resources, got something else$/,
    ],
    [
      'an unknown section',
      'Resources: {}\nResource: {}\n',
      /: Expected a section of a template \(.*\), got 'Resource'$/,
    ],
    [
      'null for what is not there',
      'Resources:\n  Queue:\n    Properties:\n      Tag: ~\n',
      /: Expected Resources\.Queue\.Properties\.Tag to be there, because null removes it/,
    ],
    [
      'null in what is new',
      'Resources:\n  New:\n    Type: x\n    Properties: { A: ~ }\n',
      /: Expected Resources\.New\.Properties\.A to have a value, got null/,
    ],
    [
      'an unknown function',
      'Resources:\n  A: !Reff B\n',
      /: 2:6: Expected YAML .* got: Unresolved tag: !Reff$/,
    ],
    [
      'an alias',
      'Resources:\n  A: &a { b: 1 }\n  C: *a\n',
      /: Expected no alias, got \*a: write its content out$/,
    ],
  ])('is refused with %s, by line or path', (_, extra, said) => {
    expect(() => withExtra(base, extra)).toThrow(
      expect.objectContaining({ code: 'template.extra', message: expect.stringMatching(said) }),
    );
  });

  test('comes last: it may change what follows from the rules', () => {
    const stack = projectStack({
      config: blog,
      extra:
        'Resources:\n  Propagate:\n    Properties: { MemorySize: 1024 }\n  PropagateIteratorAgeAlarm: ~\nParameters:\n  PageLimit: { Default: 100 }\n',
    });

    expect(stack).toMatchObject({
      Parameters: { PageLimit: { Default: 100 } },
      Resources: { Propagate: { Properties: { MemorySize: 1024, Timeout: 60 } } },
    });
    expect(stack['Resources']).toMatchObject({ PropagateIteratorAgeAlarm: undefined });
  });

  const table = (properties: string) => `Resources: { Table: { Properties: { ${properties} } } }`;
  const index = (name: string) =>
    `{ IndexName: ${name}, KeySchema: [{ AttributeName: authorKey, KeyType: HASH }, { AttributeName: authorSort, KeyType: RANGE }], Projection: { ProjectionType: ALL } }`;

  test.each([
    ['other keys', table('KeySchema: [{ AttributeName: id, KeyType: HASH }]'), 'Table.Properties.KeySchema'],
    ['another TTL', table('TimeToLiveSpecification: { AttributeName: ttl }'), 'TimeToLiveSpecification'],
    ['other images', table('StreamSpecification: { StreamViewType: NEW_IMAGE }'), 'StreamSpecification'],
    [
      'no index that a rule queries',
      table(`GlobalSecondaryIndexes: [${index('mine')}]`),
      'GlobalSecondaryIndexes',
    ],
    [
      'other filters',
      'Resources: { Propagate: { Properties: { Events: { Stream: { Properties: { FilterCriteria: ~ } } } } } }',
      'FilterCriteria',
    ],
  ])('is refused with %s: the rules need theirs', (_, extra, path) => {
    expect(() => projectStack({ config: blog, extra })).toThrow(
      expect.objectContaining({ code: 'template.extra', message: expect.stringContaining(path) }),
    );
  });

  test('may add an index', () => {
    const extra = table(`GlobalSecondaryIndexes: [${index('by-author')}, ${index('mine')}]`);
    expect(() => projectStack({ config: blog, extra })).not.toThrow();
  });
});
