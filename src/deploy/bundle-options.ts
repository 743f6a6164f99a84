import { join } from 'node:path';
import * as z from 'zod';
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

/** How esbuild bundles a function of the stack, as `sam build` has it do. @param handlers the folder of the entry points */
export function bundleOptions({ Metadata }: Pick<Resource, 'Metadata'>, handlers: string) {
  const { BuildProperties } = metadataSchema.parse(Metadata);
  const { EntryPoints, Format, Target, Minify, MainFields, External, Banner } = BuildProperties;
  const [entry] = EntryPoints;
  const [banner] = Banner;
  return {
    entryPoints: [join(handlers, entry)],
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
