import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseTemplate } from '../../dev/template-values.ts';

const functionSchema = z.object({
  Type: z.literal('AWS::Serverless::Function'),
  Metadata: z.object({ BuildProperties: z.object({ EntryPoints: z.tuple([z.string()]) }) }),
});

/** The handlers of the package, by the name of their entry point. */
const handlers: Readonly<Record<string, string>> = {
  'propagate.ts': 'propagateHandler',
  'archive.ts': 'archiveHandler',
  'fan-out.ts': 'fanOutHandler',
  'sweep.ts': 'sweepHandler',
  'verify.ts': 'verifyHandler',
};

/** What to write, if the project lacks entry points of the template's functions; undefined if it has them all. */
export function missingHandlers(folder: string, template: string): string | undefined {
  const entries = Object.values(parseTemplate(template).Resources).flatMap(
    (resource) => functionSchema.safeParse(resource).data?.Metadata.BuildProperties.EntryPoints ?? [],
  );
  const missing = entries.filter(
    (entry) => entry in handlers && !existsSync(join(folder, 'handlers', entry)),
  );
  const [first = ''] = missing;
  if (missing.length === 0) return undefined;
  return [
    `Expected an entry point for each function, found none at ${missing.map((entry) => `handlers/${entry}`).join(', ')}: \`sam build\` needs them. Write handlers/${first} so, and the others likewise:`,
    `  import { ${handlers[first]} } from 'stream-denormalizer/lambda';`,
    "  import config from '../denorm.config.ts';",
    '',
    `  export const handler = ${handlers[first]}(config);`,
  ].join('\n');
}
