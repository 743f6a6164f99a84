import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type ItemKey, isLegalKey, maxPkBytes, maxSkBytes } from '../../model/item.ts';
import { jsonOrUndefined, parseJson } from '../../model/parse-json.ts';
import { table } from '../../table.ts';
import { UsageError } from '../errors.ts';
import { keyJson } from '../output/text.ts';

const keySchema = z.strictObject({ [table.pk]: z.string(), [table.sk]: z.string() });

/**
 * The key that somebody wrote on a command line, as {@link keyJson} writes it.
 * @throws UsageError `usage.key` where it is none that an item of the table could have
 */
export function readKey(written: string): ItemKey {
  const key = keySchema.safeParse(jsonOrUndefined(written));
  if (!key.success)
    throw new UsageError(
      'usage.key',
      `Expected an item key as JSON such as '${keyJson({ pk: 'USER#1', sk: 'PROFILE' })}', both text and nothing else, got something else: check the quotes`,
    );
  const { [table.pk]: pk = '', [table.sk]: sk = '' } = key.data;
  if (isLegalKey({ pk, sk })) return { pk, sk };
  throw new UsageError(
    'usage.key',
    `Expected a key of 1 to ${maxPkBytes} and 1 to ${maxSkBytes} bytes, as DynamoDB allows, got an empty or longer one`,
  );
}

/**
 * What a file holds as JSON.
 * @param what what it should hold, for the message: 'an event, such as those in events/'
 * @throws UsageError `usage.file` where it cannot be read, or holds no JSON
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
    throw new UsageError('usage.file', `Expected ${file} to contain ${what}, as JSON, found something else`, {
      cause: error,
    });
  }
}
