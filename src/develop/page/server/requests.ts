import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type ItemKey, isLegalKey, itemKeySchema } from '../../../model/item.ts';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { PageError } from './page-source.ts';

/** A body is as large as an item may be, and its JSON. */
const maxBody = 1_000_000;

export const editSchema = z.strictObject({
  key: itemKeySchema,
  attribute: z.string().min(1).max(255),
  value: z.unknown().optional(),
});

export const redriveSchema = z.strictObject({ ids: z.array(z.string()).max(100_000) });

/** @throws PageError `page.request` for a body that is too large, no JSON, or of another shape */
export async function bodyOf<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.output<Schema>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > maxBody) throw refused(`a body of at most ${maxBody} bytes, got more`);
    chunks.push(buffer);
  }
  const parsed = schema.safeParse(jsonOrUndefined(Buffer.concat(chunks).toString()));
  if (parsed.success) return parsed.data;
  throw refused(
    `the body of this request, got one that is wrong at ${parsed.error.issues[0]?.path.join('.') || 'its top'}`,
  );
}

/** @throws PageError `page.request` if the parameters name no key */
export function keyIn(parameters: URLSearchParams): ItemKey {
  const key = { pk: parameters.get('pk') ?? '', sk: parameters.get('sk') ?? '' };
  if (isLegalKey(key)) return key;
  throw refused('both parts of a key, pk and sk, each at most as long as DynamoDB takes');
}

function refused(expected: string): PageError {
  return new PageError('page.request', `Expected ${expected}`);
}
