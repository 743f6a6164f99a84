import * as z from 'zod';
import { type ItemKey, isLegalKey, maxPkBytes, maxSkBytes } from '../../model/item.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import { table } from '../../table.ts';
import { UsageError } from '../errors.ts';

/** A key as it is written on a command line and in reports: `{"PK":"…","SK":"…"}`. */
export function keyJson({ pk, sk }: ItemKey): string {
  return JSON.stringify({ [table.pk]: pk, [table.sk]: sk });
}

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
