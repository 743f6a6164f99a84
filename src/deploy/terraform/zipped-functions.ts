import { crc32, deflateRawSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { functionNames } from '../../model/work/settings.ts';
import { bundleOptions } from '../resources/functions.ts';
import type { StackModel } from '../stack-model.ts';

/**
 * The code of each function as Lambda takes it, by the name of its file.
 * @throws DenormError as {@link bundleOptions} does
 */
export function zippedFunctions({ Resources }: StackModel, handlers: string): ReadonlyMap<string, Buffer> {
  const functions = functionNames.filter((name) => name in Resources);
  return new Map(
    functions.map((name) => {
      const { outfile, ...options } = bundleOptions(name, handlers);
      const [bundle] = buildSync({ ...options, write: false }).outputFiles;
      return [outfile.replace('.mjs', '.zip'), zipOf(outfile, bundle?.contents ?? new Uint8Array())];
    }),
  );
}

/**
 * A zip of one file that everybody may read. It has no time, so that the same file gives the same zip.
 * Source: PKWARE, ".ZIP File Format Specification", 4.3 and 4.4.
 */
function zipOf(file: string, contents: Uint8Array): Buffer {
  const [name, packed] = [Buffer.from(file), deflateRawSync(contents)];
  const sizes = longs(crc32(contents), packed.length, contents.length);
  // Version 2.0, deflated, on the first day of 1980.
  const described = Buffer.concat([shorts(20, 0, 8, 0, 33), sizes, shorts(name.length, 0)]);
  const local = Buffer.concat([longs(0x04034b50), described, name, packed]);
  const [onUnix, mode] = [0x314, 0o100644 * 0x10000];
  const listed = [longs(0x02014b50), shorts(onUnix), described, shorts(0, 0, 0), longs(mode, 0), name];
  const list = Buffer.concat(listed);
  const end = [longs(0x06054b50), shorts(0, 0, 1, 1), longs(list.length, local.length), shorts(0)];
  return Buffer.concat([local, list, ...end]);
}

const shorts = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer);
const longs = (...values: readonly number[]) => Buffer.from(Uint32Array.from(values).buffer);
