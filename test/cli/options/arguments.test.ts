import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { readJson, readKey } from '../../../src/cli/options/arguments.ts';
import { keyJson } from '../../../src/cli/output/text.ts';
import { table } from '../../../src/table.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('a key is read as written', async () => {
  const key = { pk: 'bear§books "x"', sk: '..' };

  expect(await readKey(keyJson(table, key))).toEqual(key);
  expect(await readKey(' {"SK":"b", "PK":"a"} ')).toEqual({ pk: 'a', sk: 'b' });
});

test.each([
  ['invalid JSON', '{PK:secret}'],
  ['a part missing', '{"PK":"secret"}'],
  ['another attribute', '{"PK":"a","SK":"b","Name":"secret"}'],
  ['DynamoDB JSON', '{"PK":{"S":"secret"},"SK":{"S":"b"}}'],
  ['an empty part', '{"PK":"","SK":"b"}'],
  ['too long a part', JSON.stringify({ PK: 'a', SK: 'x'.repeat(1025) })],
  ['a list', '["a","b"]'],
])('a key is refused with %s, in one sentence', async (_, written) => {
  const error = await readKey(written).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(/Expected /);
  expect(String(error)).not.toMatch(/secret/);
});

test('a key that is not JSON is refused', async () => {
  await expect(readKey('{"PK":"a", SK:"b"}')).rejects.toThrow(
    /, got text that is not JSON: check the quotes$/,
  );
});

test('a file that is not JSON is refused without its content', async () => {
  const file = join(newFolder(), 'event.json');
  writeFileSync(file, '{\n  "Records": [\n    secret\n  ]\n}');

  await expect(readJson(file, 'an event')).rejects.toThrow(
    `Expected ${file} to contain an event, as JSON, found other text: correct it`,
  );
});
