import { describe, expect, test } from 'vitest';
import shipped from '../../denorm.config.ts';
import { patternsOf, stackSettings } from '../../src/deploy/stack-settings.ts';
import { projectStack } from '../../src/deploy/stack-template.ts';
import { eventFilter } from '../../src/dev/event-source/event-filter.ts';
import { streamRecord } from '../dev/stream-records.ts';
import { settings } from '../fixtures/application/stack.ts';
import { blog } from './configs.ts';

const propagate = (properties: string) =>
  `Resources: { Propagate: { Properties: { Events: { Stream: { Properties: { ${properties} } } } } } }`;
const settingsWith = (extra: string) => stackSettings(projectStack({ config: shipped, extra }));

describe('the settings of a stack', () => {
  test('have mappings that start at the oldest record, and report failures', () => {
    for (const mapping of [settings.Propagate, settings.Archive])
      expect(mapping).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...{ BisectBatchOnFunctionError: true, MaximumRetryAttempts: -1 },
      });
  });

  test('have filters that a mapping accepts', () => {
    const [propagates, archives] = [settings.Propagate, settings.Archive ?? {}].map((one) =>
      eventFilter(patternsOf(one)),
    );
    expect(propagates?.(streamRecord(1, 'acct_X#inc_Y#incpart'))).toBe(true);
    expect(propagates?.(streamRecord(1, 'acct_X#team'))).toBe(false);
    expect(archives?.(streamRecord(1, 'acct_X#inc'))).toBe(false);
  });

  test('have no Archive if nothing is archived', () => {
    expect(stackSettings(projectStack({ config: blog })).Archive).toBeUndefined();
  });

  test('follow template.extra.yaml, with the defaults of parameters', () => {
    const extra = `
Parameters: { PageLimit: { Default: 7 }, Lanes: { Type: Number, Default: 3 } }
Conditions: { IsBig: !Equals [!Ref Lanes, '3'] }
${propagate("BatchSize: !If [IsBig, 1000, 10], ParallelizationFactor: !Ref Lanes, MaximumRetryAttempts: '60'")}
`;
    const { Propagate, pageLimit } = settingsWith(extra);

    expect(pageLimit).toBe(7);
    expect(Propagate).toMatchObject({
      ...{ BatchSize: 1000, ParallelizationFactor: 3, MaximumRetryAttempts: 60 },
    });
  });

  test.each([
    [
      'an unknown starting position',
      propagate('StartingPosition: NEWEST'),
      /Propagate\..*\.StartingPosition/,
    ],
    ['no answers by record', propagate('FunctionResponseTypes: []'), /\.FunctionResponseTypes/],
    ['too many lanes', propagate('ParallelizationFactor: 11'), /\.ParallelizationFactor/],
    [
      'no redrive policy',
      'Resources: { FanOutQueue: { Properties: { RedrivePolicy: ~ } } }',
      /RedrivePolicy/,
    ],
  ])('are refused with %s, by path', (_, extra, path) => {
    expect(() => settingsWith(extra)).toThrow(
      expect.objectContaining({ code: 'template.invalid', message: expect.stringMatching(path) }),
    );
  });
});
