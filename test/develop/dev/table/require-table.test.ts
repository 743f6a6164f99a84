import { expect, test } from 'vitest';
import { requireTable } from '../../../../src/develop/dev/table/require-table.ts';
import { readTemplate } from '../../../../src/develop/dev/template.ts';
import { table } from '../../../../src/table.ts';
import { templatePath } from '../../../fixtures/application/paths.ts';

const definition = readTemplate(templatePath).table;

test('a table with the names of the config is accepted, and may have more indexes', () => {
  const { GSI3: _, ...indexes } = table.indexes;

  expect(() => requireTable(table, definition)).not.toThrow();
  expect(() => requireTable({ ...table, indexes }, definition)).not.toThrow();
});

test.each([
  ['keys', { ...table, pk: 'id', sk: 'sort' }, 'key PK (S) and SK (S) instead of id (S) and sort (S)'],
  [
    'an exchange of keys',
    { ...table, pk: 'SK', sk: 'PK' },
    'key PK (S) and SK (S) instead of SK (S) and PK (S)',
  ],
  [
    'an index',
    { ...table, indexes: { ...table.indexes, byDate: { name: 'byDate', pk: 'a', sk: 'b' } } },
    'no index byDate',
  ],
  [
    'the keys of an index',
    { ...table, indexes: { ...table.indexes, GSI1: { name: 'GSI1', pk: 'a', sk: 'GSI1SK' } } },
    'index GSI1 with key GSI1PK (S) and GSI1SK (S) instead of a (S) and GSI1SK (S)',
  ],
  ['the TTL', { ...table, ttl: 'expires' }, 'TTL attribute ExpiresAt instead of expires'],
])('other names for %s are refused, and the message says which and what to run', (_, names, said) => {
  expect(() => requireTable(names, definition)).toThrow(
    expect.objectContaining({
      code: 'template.outdated',
      message: `Expected the table of template.yaml to have the names of denorm.config.ts, found others (${said}): run \`npx denorm template\`, or correct the names in the config`,
    }),
  );
});

test('an index of the template that holds less than the config says is refused', () => {
  const less = definition.GlobalSecondaryIndexes.map((index) =>
    index.IndexName === 'GSI2' ? { ...index, Projection: { ProjectionType: 'KEYS_ONLY' as const } } : index,
  );
  const indexes = { ...table.indexes, GSI2: { name: 'GSI2', pk: 'GSI2PK', sk: 'GSI2SK' } };

  expect(() => requireTable(table, { ...definition, GlobalSecondaryIndexes: less })).toThrow(
    /index GSI2 with projection KEYS_ONLY instead of ALL/,
  );
  expect(() =>
    requireTable({ ...table, indexes }, { ...definition, GlobalSecondaryIndexes: less }),
  ).not.toThrow();
});

test('an index of the template whose keys are both partition keys is refused', () => {
  const KeySchema = ['GSI1PK', 'GSI1SK'].map((AttributeName) => ({
    AttributeName,
    KeyType: 'HASH' as const,
  }));
  const indexes = definition.GlobalSecondaryIndexes.map((index) =>
    index.IndexName === 'GSI1' ? { ...index, KeySchema } : index,
  );

  expect(() => requireTable(table, { ...definition, GlobalSecondaryIndexes: indexes })).toThrow(
    'index GSI1 with key GSI1PK (S) + GSI1SK (S) instead of GSI1PK (S) and GSI1SK (S)',
  );
});

test('a template without a TTL is refused: items would never expire', () => {
  expect(() => requireTable(table, { ...definition, TimeToLiveSpecification: undefined })).toThrow(
    /TTL attribute none instead of ExpiresAt/,
  );
});
