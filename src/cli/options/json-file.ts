import { readFile } from 'node:fs/promises';
import { parseJson } from '../../model/parse-json.ts';
import { UsageError } from '../errors.ts';

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
