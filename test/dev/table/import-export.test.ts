import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { makeExport } from '../../../scripts/make-export.ts';
import { createTable } from '../../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../../src/dev/table/embedded-table-server.ts';
import { importExport } from '../../../src/dev/table/import-export.ts';
import { settings } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

const items = 3_000;

/** A new export with its folder's changes, and the file to make of it. */
function exported(change: (folder: string) => void = () => {}, definition = settings.table) {
  const folder = newFolder();
  const from = join(folder, 'export');
  makeExport(from, items);
  change(from);
  const file = join(folder, 'table.db');
  const { signal } = new AbortController();
  const options = { from, tableName: 'app', definition, signal };
  return { folder, file, imported: () => importExport(file, options) };
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
const dataFile = (folder: string) => join(folder, 'data', readdirSync(join(folder, 'data'))[0] ?? '');

/** Replaces text of a manifest. */
function inManifest(name: string, old: string | RegExp, by: string) {
  return (folder: string) => {
    const text = read(folder, name);
    const changed = text.replace(old, by);
    expect(changed).not.toBe(text);
    writeFileSync(join(folder, name), changed);
  };
}

/** Replaces the data of the export with these items, as the manifest says, whatever they are. */
function withData(lines: readonly string[], claimed = lines.length) {
  return (folder: string) => {
    const body = gzipSync(lines.join('\n'));
    writeFileSync(dataFile(folder), body);
    const md5Checksum = createHash('md5').update(body).digest('base64');
    inManifest('manifest-files.json', /"md5Checksum":"[^"]+"/, `"md5Checksum":"${md5Checksum}"`)(folder);
    inManifest('manifest-files.json', `"itemCount":${items}`, `"itemCount":${claimed}`)(folder);
    inManifest('manifest-summary.json', `"itemCount":${items}`, `"itemCount":${claimed}`)(folder);
  };
}

const legal = '{"Item":{"PK":{"S":"secret"},"SK":{"S":"1"}}}';

test('an export becomes a table with every item, and no record in its stream', async () => {
  const { folder, file, imported } = exported();

  expect(await imported()).toEqual({ items, at: '2026-11-20T03:00:00.000Z' });
  expect(readdirSync(folder).sort()).toEqual(['export', 'table.db']);
  const server = await startEmbeddedTableServer({ dbPath: file });
  onTestFinished(() => server.stop());
  await expect(createTable(server.endpoint, 'app', settings.table)).resolves.toContain('/stream/');
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const count = (table: string) => database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get();
  expect(count('app')).toEqual({ rows: items });
  expect(count('app::gsi::GSI1')).toEqual({ rows: (items * 4) / 5 });
  expect(count('_stream_records')).toEqual({ rows: 0 });
});

test('an export of a table without an index is imported', async () => {
  const { AttributeDefinitions, ...others } = settings.table;
  const { imported } = exported(withData([legal]), {
    ...{ ...others, GlobalSecondaryIndexes: [] },
    AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => /^(PK|SK)$/.test(AttributeName)),
  });
  expect(await imported()).toMatchObject({ items: 1 });
});

test('an index that the program cannot make is left out', async () => {
  const index = {
    ...{ IndexName: 'Both', Projection: { ProjectionType: 'ALL' as const } },
    KeySchema: ['GSI1PK', 'GSI1SK'].map((AttributeName) => ({ AttributeName, KeyType: 'HASH' as const })),
  };
  const { imported } = exported(withData([legal]), { ...settings.table, GlobalSecondaryIndexes: [index] });
  expect(await imported()).toMatchObject({ items: 1 });
});

test('whatever else the program refuses is said in its own words', async () => {
  const [index] = settings.table.GlobalSecondaryIndexes;
  const twice = index === undefined ? [] : [index, index];
  const { imported } = exported(withData([legal]), { ...settings.table, GlobalSecondaryIndexes: twice });
  await expect(imported()).rejects.toThrow(/denorm\.config\.ts, found .*[Dd]uplicate.*: name an export/);
});

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'another folder',
    (folder) => rmSync(folder, { recursive: true }),
    /found no manifest-summary\.json, or another one: copy it/,
  ],
  [
    'an incremental export',
    inManifest('manifest-summary.json', 'FULL', 'INCREMENTAL'),
    /Expected a full export .+, found INCREMENTAL_EXPORT in DYNAMODB_JSON: export/,
  ],
  [
    'an export in Ion',
    inManifest('manifest-summary.json', 'DYNAMODB_JSON', 'ION'),
    /found FULL_EXPORT in ION: export/,
  ],
  [
    'a manifest that is cut off',
    inManifest('manifest-summary.json', /.{20}$/, ''),
    /found no manifest-summary\.json, or another one: copy it/,
  ],
  [
    'a list of files that is cut off in a line',
    inManifest('manifest-files.json', /.{20}\n$/, ''),
    /Expected a file of the export in each line of manifest-files\.json, found another line: copy/,
  ],
  [
    'a list of files without one of them',
    inManifest('manifest-files.json', /.*\n/, ''),
    /list files with 3000 items, found 0: copy/,
  ],
  [
    'a missing file',
    (folder) => rmSync(dataFile(folder)),
    /Expected data\/\w+\.json\.gz to have the MD5 \S+==, found no file: copy/,
  ],
  [
    'a file that is cut off',
    (folder) => execFileSync('truncate', ['--size=-9', dataFile(folder)]),
    /Expected data\/\w+\.json\.gz to have the MD5 \S+==, found \S+==: copy/,
  ],
  [
    'fewer items than the manifest says',
    withData([legal], 2),
    /Expected 2 items in data, found 1, and 0 lines without one: copy/,
  ],
  [
    'a line that is no item',
    withData([legal, '{"Keys":{"PK":{"S":"secret"}}}']),
    /Expected 2 items in data, found 1, and 1 lines without one, the first at \w+\.json\.gz:2: copy/,
  ],
  [
    'items with other keys',
    withData([legal, '{"Item":{"id":{"S":"secret"}}}']),
    /denorm\.config\.ts, found Missing the key PK in the item: name an export of this table/,
  ],
  [
    'a key of another type',
    withData(['{"Item":{"PK":{"N":"1"},"SK":{"S":"secret"}}}']),
    /found Type mismatch for key PK expected: S actual: N: name/,
  ],
  [
    'an index key of another type',
    withData(['{"Item":{"PK":{"S":"secret"},"SK":{"S":"1"},"GSI1PK":{"N":"1"},"GSI1SK":{"S":"1"}}}']),
    /found Type mismatch for Index Key GSI1PK Expected: S Actual: N IndexName: GSI1: name/,
  ],
  [
    'a value that DynamoDB would not hold',
    withData(['{"Item":{"PK":{"S":"secret"},"SK":{"S":"1"},"a":{"N":"secret"}}}']),
    /found an item of which it says: The parameter cannot be converted to a numeric value: name/,
  ],
])('%s is refused in a sentence without content, and leaves no table', async (_, change, sentence) => {
  const { folder, file, imported } = exported(change);

  const error = await imported().then(
    () => expect.fail('it was imported'),
    ({ message }) => String(message),
  );
  expect(error).toMatch(sentence);
  expect(error).not.toContain('secret');
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(folder).filter((name) => name !== 'export')).toEqual([]);
});
