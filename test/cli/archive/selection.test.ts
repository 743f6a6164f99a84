import { describe, expect, test } from 'vitest';
import {
  choiceOf,
  type SelectionOptions,
  selectionOf,
  stateId,
  timeOf,
} from '../../../src/cli/archive/selection.ts';
import type { ArchivedState } from '../../../src/operate/archive/archived-state.ts';
import { ModelArchive, modelArchiveReader } from '../../../src/testing/table-model/model-archive.ts';
import { bodyOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });
const archive = new ModelArchive();
archive.store(
  objectKeyOf('Invoice', { pk: 'INVOICE#1', sk: 'METADATA' }),
  { body: bodyOf({}, new Uint8Array()), digest: '' },
  undefined,
);

function select(options: SelectionOptions, key?: string) {
  return selectionOf(registry, modelArchiveReader(archive), key, options);
}

describe('a selection', () => {
  test('includes every kind, key and time by default', async () => {
    expect(await select({})).toEqual({
      kinds: undefined,
      key: undefined,
      pkBegins: undefined,
      skBegins: undefined,
      from: undefined,
      until: undefined,
    });
  });

  test('is of the kind that matches the key', async () => {
    expect(await select({}, '{"PK":"ORDER#1","SK":"ITEM#2"}')).toMatchObject({
      kinds: ['OrderItem'],
      key: { pk: 'ORDER#1', sk: 'ITEM#2' },
    });
  });

  test('follows the options for kinds, beginnings and times', async () => {
    expect(
      await select({ kind: ['Order'], pk: 'ORDER#', sk: 'M', from: '2026-01-01', until: '2026-01-02' }),
    ).toMatchObject({
      kinds: ['Order'],
      pkBegins: 'ORDER#',
      skBegins: 'M',
      from: Date.UTC(2026, 0, 1),
      until: Date.UTC(2026, 0, 2),
    });
  });

  test('may be of a kind without a rule, as long as the archive contains items of it', async () => {
    expect(await select({ kind: ['Invoice'] })).toMatchObject({ kinds: ['Invoice'] });
    expect(await select({ kind: ['Invoice'] }, '{"PK":"INVOICE#1","SK":"METADATA"}')).toMatchObject({
      kinds: ['Invoice'],
    });
  });

  test.each<[string, SelectionOptions, string | undefined]>([
    [
      "to be an archived kind (Incident, IncidentData, Order, OrderItem, UserProfile), got 'Membership', of",
      { kind: ['Membership'] },
      undefined,
    ],
    ['OrderItem (ORDER#{order} / ITEM#{item})', {}, '{"PK":"SERVER#1","SK":"USER#2"}'],
    ['Expected an item key as JSON', {}, 'ORDER#1'],
    ['Expected a key, or --pk and --sk', { pk: 'ORDER#' }, '{"PK":"ORDER#1","SK":"METADATA"}'],
    [
      "Expected --from to be a time such as 2026-11-21 or 2026-11-21T08:00Z, got 'yesterday'",
      { from: 'yesterday' },
      undefined,
    ],
    ['Expected --from to be earlier than --until', { from: '2026-01-02', until: '2026-01-02' }, undefined],
  ])('is refused: %s', async (says, options, key) => {
    await expect(select(options, key)).rejects.toThrow(says);
  });
});

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T08:00', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21 08:00:01.5+02:00', '2026-11-21T06:00:01.500Z'],
])('the time %s is %s', (text, iso) => {
  expect(new Date(timeOf('--at', text)).toISOString()).toBe(iso);
});

test.each(['2026-02-30', '2026-13-01', '1795288459', '21.11.2026', '2026-11-21T25:00'])(
  'the time %s is invalid',
  (text) => {
    expect(() => timeOf('--at', text)).toThrow('Expected --at to be a time');
  },
);

function state(name: string, archivedAt: number, more: Partial<ArchivedState> = {}): ArchivedState {
  return {
    ...{ kind: 'Order', key: { pk: 'ORDER#1', sk: 'METADATA' } },
    ...{ objectKey: 'archive/Order/ORDER%231/METADATA.json', versionId: name, line: undefined },
    ...{ final: false, archivedAt, sequence: 1n, digest: name, bytes: 1, storageClass: 'STANDARD' },
    ...more,
  };
}

const first = state('v1', 1_000);
const last = state('v2', 2_000, {
  objectKey: 'archive/Order/ORDER%231/METADATA.json.77',
  final: true,
  sequence: 77n,
});
const line = state('', 3_000, {
  objectKey: `archive/Order/dt=2026-11-21/${'ab'.repeat(20)}.ndjson.gz`,
  versionId: undefined,
  line: 3,
});
const states = [first, last, line];

test('the id of a state is its version, the record of its end, or its batch and line', () => {
  expect(states.map(stateId)).toEqual(['v1', 'last-77', 'abababababab-3']);
});

describe('the chosen state', () => {
  test('is the newest by default', () => {
    expect(choiceOf({})(states)).toBe(line);
    expect(choiceOf({})([])).toBeUndefined();
  });

  test('is the state with the id', () => {
    expect(states.map((one) => choiceOf({ version: stateId(one) })(states))).toEqual(states);
    expect(choiceOf({ version: 'v9' })(states)).toBeUndefined();
  });

  test('is the newest that was archived up to a time', () => {
    expect(choiceOf({ at: '1970-01-01T00:00:02Z' })(states)).toBe(last);
    expect(choiceOf({ at: '1970-01-01' })(states)).toBeUndefined();
  });

  test('is chosen by id or by time, not by both', () => {
    expect(() => choiceOf({ version: 'v1', at: '2026-01-01' })).toThrow(
      'Expected --version or --at, got both',
    );
    expect(() => choiceOf({ at: 'noon' })).toThrow('Expected --at to be a time such as 2026-11-21 or');
  });
});
