import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseTemplate } from '../dev/template-values.ts';

/** A function of a template whose file does not exist: `sam build` stops at it. */
export interface MissingHandler {
  /** The function's id in the template. */
  readonly id: string;
  /** The file, from the project's folder. */
  readonly file: string;
  /** The function of `stream-denormalizer/lambda` that makes its handler; undefined for a function of the project's own. */
  readonly maker: string | undefined;
}

/** The makers of handlers, by the name of their entry point. */
const makers: Readonly<Record<string, string>> = {
  'propagate.ts': 'propagateHandler',
  'archive.ts': 'archiveHandler',
  'fan-out.ts': 'fanOutHandler',
  'sweep.ts': 'sweepHandler',
  'verify.ts': 'verifyHandler',
};

const functionSchema = z.object({ CodeUri: z.string() });
const buildSchema = z.object({ BuildProperties: z.object({ EntryPoints: z.array(z.string()) }) });

/**
 * The functions of a template whose files are missing.
 * @param text the template
 */
export function missingHandlers(folder: string, text: string): readonly MissingHandler[] {
  const template = parseTemplate(text);
  return Object.entries(template.Resources).flatMap(([id, { Type, Metadata, Properties }]) => {
    if (Type !== 'AWS::Serverless::Function') return [];
    const given = functionSchema.safeParse({ ...template.Globals.Function, ...Properties });
    const entries = buildSchema.safeParse(Metadata).data?.BuildProperties.EntryPoints ?? [];
    if (!given.success) return [];
    return entries
      .map((entry) => ({ id, file: `${given.data.CodeUri}/${entry}`, maker: makers[entry] }))
      .filter(({ file }) => !existsSync(join(folder, file)));
  });
}
