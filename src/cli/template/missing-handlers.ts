import type { Properties } from '../../deploy/cloudformation.ts';
import { missingHandlers as missingIn } from '../../develop/check/missing-handlers.ts';

/** What to write, if the project lacks entry points of the stack's functions; undefined if it has them all. */
export function missingHandlers(folder: string, stack: Properties): string | undefined {
  const missing = missingIn(folder, stack).filter(({ maker }) => maker !== undefined);
  const [first] = missing;
  if (first === undefined) return undefined;
  return [
    `Expected an entry point for each function, found none at ${missing.map(({ file }) => file).join(', ')}: \`sam build\` needs them. Write ${first.file} so, and the others likewise:`,
    `  import { ${first.maker} } from 'stream-denormalizer/lambda';`,
    "  import config from '../denorm.config.ts';",
    '',
    `  export const handler = ${first.maker}(config);`,
  ].join('\n');
}
