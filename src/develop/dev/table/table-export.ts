import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { LocalError } from '../errors.ts';
import { Folder } from '../folder.ts';

/** The folder of data files in an export. */
export const dataFolder = 'data';

/** A full export of a table to S3, copied to this machine. */
export interface TableExport {
  readonly items: number;
  /** The moment whose items it has, as a date; undefined if the manifest does not say it. */
  readonly at: string | undefined;
}

// Source: DynamoDB Developer Guide, "DynamoDB table export output format". The first exports had no type: they were full.
const summarySchema = z.object({
  exportType: z.string().default('FULL_EXPORT'),
  outputFormat: z.string(),
  itemCount: z.int().min(0),
  exportTime: z.string().optional(),
});

const fileSchema = z.object({
  itemCount: z.int().min(0),
  /** Of the compressed file, in base64. */
  md5Checksum: z.string(),
  dataFileS3Key: z.string(),
});

/**
 * Reads the manifest of an export, and compares it with its files.
 * @throws LocalError `import.no-export`, `import.format` or `import.damaged`
 */
export async function checkedExport(path: string, signal: AbortSignal): Promise<TableExport> {
  const folder = new Folder(path);
  const summary = await folder.read('manifest-summary.json');
  if (summary === undefined)
    throw new LocalError(
      'import.no-export',
      `Expected ${path} to be the folder of a finished export, with manifest-summary.json, manifest-files.json and ${dataFolder}, ` +
        'found no manifest-summary.json: copy it with `aws s3 cp --recursive s3://<bucket>/<prefix>/AWSDynamoDB/<export ID>/ <folder>`, and name that folder',
    );
  const { data: about } = summarySchema.safeParse(jsonOrUndefined(summary.toString()));
  if (about === undefined) throw damaged('manifest-summary.json to be that of an export', 'other content');
  if (about.exportType !== 'FULL_EXPORT' || about.outputFormat !== 'DYNAMODB_JSON')
    throw new LocalError(
      'import.format',
      `Expected a full export in the format DYNAMODB_JSON, found ${about.exportType} in ${about.outputFormat}: ` +
        'export the table with `aws dynamodb export-table-to-point-in-time --export-format DYNAMODB_JSON`, without --export-type',
    );
  const files = filesIn((await folder.read('manifest-files.json'))?.toString() ?? '');
  const items = files.reduce((sum, { itemCount }) => sum + itemCount, 0);
  if (items !== about.itemCount)
    throw damaged(`manifest-files.json to list files with ${about.itemCount} items`, `${items}`);
  for (const { dataFileS3Key, md5Checksum } of files) {
    const name = join(dataFolder, basename(dataFileS3Key));
    const file = join(path, name);
    if (!existsSync(file)) throw damaged(`the file ${name}, which manifest-files.json lists`, 'none');
    const md5 = await md5Of(file, signal);
    if (md5 !== md5Checksum) throw damaged(`${name} to have the MD5 ${md5Checksum}`, md5);
  }
  return { items, at: about.exportTime };
}

function filesIn(manifest: string): readonly z.output<typeof fileSchema>[] {
  return manifest
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const { data } = fileSchema.safeParse(jsonOrUndefined(line));
      if (data !== undefined) return data;
      throw damaged(
        'manifest-files.json to have a file of the export in each line',
        `none in line ${index + 1}`,
      );
    });
}

async function md5Of(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk);
  return hash.digest('base64');
}

export function damaged(expected: string, found: string): LocalError {
  return new LocalError(
    'import.damaged',
    `Expected ${expected}, found ${found}: copy the export from S3 again, whole`,
  );
}
