import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { jsonOrUndefined, parseJson } from '../../model/basics/parse-json.ts';
import { plainNumber } from '../../model/items/decimal.ts';
import { keyGiven } from '../../model/items/given-keys.ts';
import { type ItemKey, isLegalKey, keyWords, legalKeyWords } from '../../model/items/item.ts';
import { keyParts } from '../../model/items/table-names.ts';
import { UsageError } from '../errors.ts';
import { exampleKeys } from '../output/text.ts';
import { project } from '../project.ts';

/**
 * In the format that keys are printed in.
 * @throws UsageError `usage.key` for a key that no item of the table can have
 */
export async function readKey(written: string): Promise<ItemKey> {
  const { table } = (await project()).config;
  const parts = keyParts(table).all;
  const text = z.string();
  const number = text.or(z.object({ digits: text }).transform(({ digits }) => digits)).refine(plainNumber);
  const keySchema = z.strictObject(
    Object.fromEntries(parts.map(({ name, type }) => [name, type === 'N' ? number : text])),
  );
  // Numbers have all their digits.
  const json = jsonOrUndefined(
    written.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') ? token : JSON.stringify({ digits: token }),
    ),
  );
  const read = keySchema.safeParse(json);
  if (!read.success) {
    const got = json === undefined ? 'text that is not JSON: check the quotes' : 'other JSON: correct it';
    throw new UsageError(
      'usage.key',
      `Expected an item key as JSON such as '${exampleKeys.root(table)}', with ${keyWords(table)}, and nothing else, got ${got}`,
    );
  }
  const [pk = '', sk] = parts.map(({ name }) => read.data[name]);
  const key = keyGiven(table, { pk, sk });
  if (isLegalKey(table, key)) return key;
  throw new UsageError(
    'usage.key',
    `Expected ${legalKeyWords(table)}, as DynamoDB allows, got an empty or longer one`,
  );
}

/**
 * @param what the expected content, for the error message: 'an event, such as those in events/'
 * @throws UsageError `usage.file` if the file is unreadable or not JSON
 */
export async function readJson(file: string, what: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      'usage.file',
      `Expected a file with ${what}, got ${file}, which cannot be read: check the path`,
      { cause: error },
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(
      'usage.file',
      `Expected ${file} to contain ${what}, as JSON, found other text: correct it`,
      { cause: error },
    );
  }
}

/** A table's name, as DynamoDB takes it. Source: CreateTable, TableName. */
export function tableNameArgument(text: string): string {
  if (/^[\w.-]{3,255}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected 3 to 255 letters, digits, underscores, hyphens and dots.');
}
