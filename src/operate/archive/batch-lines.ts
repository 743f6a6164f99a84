import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pLimit from 'p-limit';
import { damaged } from '../../worker/archive/object.ts';

/**
 * Decompressed, in bytes: more than what Lambda gives to an invocation, or a sweep puts together, can take. A small object can be made that
 * takes all memory otherwise.
 */
const maxBytes = 128 * 1024 * 1024;

/** One batch at a time. A batch that is kept is decompressed once for all of its lines. */
const decompressing = pLimit(1);
const kept = new WeakMap<Uint8Array, Promise<readonly string[]>>();

/** @throws DenormError `archive.damaged` if the batch has no such line, or more bytes than a batch can have */
export async function lineOf(
  body: Uint8Array,
  line: number,
  objectKey: string,
  most = maxBytes,
): Promise<string> {
  const lines = kept.get(body) ?? decompressing(() => decompressed(body, objectKey, most));
  kept.set(body, lines);
  const text = (await lines)[line];
  if (text !== undefined && text !== '') return text;
  throw damaged(objectKey, `it has no line ${line}`);
}

const unzip = promisify(gunzip);

async function decompressed(body: Uint8Array, objectKey: string, most: number): Promise<readonly string[]> {
  try {
    return (await unzip(body, { maxOutputLength: most })).toString().split('\n');
  } catch (cause) {
    const isTooLong = cause instanceof RangeError;
    throw damaged(
      objectKey,
      isTooLong ? `it has more than ${most} bytes decompressed` : 'it cannot be decompressed',
      cause,
    );
  }
}
