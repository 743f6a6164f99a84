import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { keyGiven } from '../../model/items/given-keys.ts';
import { type ItemKey, isLegalKey, itemKeySchema } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { ProjectView } from '../protocol/views.ts';
import type { Journal } from './journal.ts';

/** What a page shows and does. What it has no route for is absent on the page. */
export interface PageSource {
  readonly project: Omit<ProjectView, 'answers'>;
  /** Without it, the page tells no changes. */
  readonly journal?: Journal;
  /** The routes by method and path: `GET /api/item`. */
  readonly routes: Readonly<Record<string, Route>>;
}

/** @returns JSON of a type in `protocol` */
export type Route = (request: PageRequest) => Promise<object | undefined> | object | undefined;

export interface PageRequest {
  readonly parameters: URLSearchParams;
  readonly body: unknown;
}

export const pageStatuses = {
  'page.not-found': 404,
  'page.stranger': 403,
  'page.request': 400,
  'page.edit': 400,
} as const;

export class PageError extends DenormError {
  override readonly name = 'PageError';

  constructor(code: keyof typeof pageStatuses, message: string) {
    super(code, message);
  }
}

/** An item has 400 KB, its JSON up to six times as many (`\u0001`). */
const maxBodyBytes = 3_000_000;

export const editSchema = z.strictObject({
  key: itemKeySchema,
  attribute: z.string().min(1).max(255),
  value: z.unknown().optional(),
});

export const idsSchema = z.strictObject({
  ids: z.array(z.string()).max(100_000),
  newest: z.number().optional(),
});
export const dropSchema = idsSchema.required();

/** @throws PageError `page.request` for a body that is too large */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > maxBodyBytes) throw requestError(`a body of at most ${maxBodyBytes} bytes, got more`);
    chunks.push(buffer);
  }
  return jsonOrUndefined(Buffer.concat(chunks).toString());
}

/** @throws PageError `page.request` for a body that is no JSON, or of another shape */
export function acceptedBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw requestError(
    `the body of this request, got one that is wrong at ${parsed.error.issues[0]?.path.join('.') || 'its top'}`,
  );
}

/** @throws PageError `page.request` if the parameters name no key */
export function keyOfRequest(table: KeyNames, parameters: URLSearchParams): ItemKey {
  const key = keyGiven(table, { pk: parameters.get('pk') ?? '', sk: parameters.get('sk') ?? '' });
  if (isLegalKey(table, key)) return key;
  throw requestError('both parts of a key, pk and sk, each at most as long as DynamoDB takes');
}

/** Everybody who asks while an answer is made gets the same one. */
export function shared<Answer>(make: () => Promise<Answer>): () => Promise<Answer> {
  let making: Promise<Answer> | undefined;
  return () => {
    making ??= make().finally(() => {
      making = undefined;
    });
    return making;
  };
}

function requestError(expected: string): PageError {
  return new PageError('page.request', `Expected ${expected}`);
}
