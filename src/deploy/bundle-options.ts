import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DenormError } from '../model/errors.ts';
import type { Resource } from './cloudformation.ts';

const metadataSchema = z.object({
  BuildProperties: z.object({
    EntryPoints: z.tuple([z.string()]),
    Format: z.literal('esm'),
    Target: z.string(),
    Minify: z.boolean(),
    MainFields: z.string(),
    External: z.array(z.string()),
    Banner: z.tuple([z.string().startsWith('js=')]),
  }),
});

/**
 * How esbuild bundles a function of the stack, as `sam build` has it do.
 * @param handlers the folder of the entry points
 * @throws DenormError `template.no-handler`
 */
export function bundleOptions({ Metadata }: Pick<Resource, 'Metadata'>, handlers: string) {
  const { BuildProperties } = metadataSchema.parse(Metadata);
  const { EntryPoints, Format, Target, Minify, MainFields, External, Banner } = BuildProperties;
  const [entry] = EntryPoints;
  const [banner] = Banner;
  const file = join(handlers, entry);
  if (!existsSync(file))
    throw new DenormError(
      'template.no-handler',
      `Expected the handler of a function in ${file}, found no such file: add it, as \`npx stream-denormalizer init\` writes it, or name the folder of the handlers`,
    );
  return {
    entryPoints: [file],
    outfile: entry.replace(/\.ts$/, '.mjs'),
    bundle: true,
    platform: 'node' as const,
    logLevel: 'error' as const,
    format: Format,
    target: Target,
    minify: Minify,
    mainFields: MainFields.split(','),
    external: External,
    banner: { js: banner.slice('js='.length) },
  };
}
