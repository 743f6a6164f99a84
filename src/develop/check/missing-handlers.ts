import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Properties } from '../../deploy/cloudformation.ts';
import { type FunctionName, functionNames, serviceOf } from '../../deploy/functions.ts';

/** `sam build` stops at it. */
export interface MissingHandler {
  readonly id: FunctionName;
  /** The file, from the project's folder. */
  readonly file: string;
  /** The function of `stream-denormalizer/lambda` that makes its handler. */
  readonly maker: string;
}

const schema = z.object({ Resources: z.record(z.string(), z.unknown()) });

export function missingHandlers(folder: string, stack: Properties): readonly MissingHandler[] {
  const { Resources } = schema.parse(stack);
  return functionNames
    .filter((id) => Object.hasOwn(Resources, id))
    .map((id) => {
      const maker = `${id.charAt(0).toLowerCase()}${id.slice(1)}Handler`;
      return { id, file: `handlers/${serviceOf(id)}.ts`, maker };
    })
    .filter(({ file }) => !existsSync(join(folder, file)));
}
