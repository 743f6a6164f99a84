import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Properties } from '../../deploy/cloudformation.ts';

/** A function of a stack whose file does not exist: `sam build` stops at it. */
export interface MissingHandler {
  /** The function's logical id. */
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

const schema = z.object({
  Globals: z.object({ Function: z.object({ CodeUri: z.string() }) }),
  Resources: z.record(
    z.string(),
    z
      .object({
        Type: z.literal('AWS::Serverless::Function'),
        Metadata: z.object({ BuildProperties: z.object({ EntryPoints: z.array(z.string()) }) }),
        Properties: z.object({ CodeUri: z.string().optional() }),
      })
      .optional()
      .catch(undefined),
  ),
});

/** The functions of a stack whose files are missing in a project's folder. */
export function missingHandlers(folder: string, stack: Properties): readonly MissingHandler[] {
  const { Globals, Resources } = schema.parse(stack);
  return Object.entries(Resources).flatMap(([id, one]) => {
    const { CodeUri = Globals.Function.CodeUri } = one?.Properties ?? {};
    return (one?.Metadata.BuildProperties.EntryPoints ?? [])
      .map((entry) => ({ id, file: `${CodeUri}/${entry}`, maker: makers[entry] }))
      .filter(({ file }) => !existsSync(join(folder, file)));
  });
}
