import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { pythonTool } from '../../scripts/python-tools.ts';
import { runTool } from '../../scripts/sam.ts';
import { evaluator } from '../../src/deploy/template/evaluator.ts';

/** What tools of AWS want to know of their surroundings. */
export const toolSettings = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };

/** Writes a SAM template as CloudFormation gets it, as JSON. */
export async function expandTo(path: string, templatePath: string): Promise<void> {
  const args = ['scripts/expand-template.py', templatePath, path];
  const expansion = await runTool(pythonTool('sam', 'python'), args, { env: toolSettings });
  if (expansion.code !== 0) throw new Error(`Expected ${templatePath} to expand:\n${expansion.output}`);
}

export const resourceSchema = z.object({
  Type: z.string(),
  Condition: z.string().optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});

const expanded = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.union([z.string(), z.number()]).optional() })),
  Conditions: z.unknown(),
  Resources: z.record(z.string(), resourceSchema),
});

export type Resource = z.infer<typeof resourceSchema>;

/**
 * The resources that CloudFormation makes of a SAM template for these parameters, by logical id: conditions evaluated,
 * what names another resource left as `{Ref}` or `{'Fn::GetAtt'}`.
 */
export type ResourcesFor = (
  parameters?: Readonly<Record<string, string | number>>,
) => Readonly<Record<string, Resource>>;

export async function expandedTemplate(templatePath: string): Promise<ResourcesFor> {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-expanded-'));
  try {
    const path = join(folder, 'expanded.json');
    await expandTo(path, templatePath);
    const { Parameters, Conditions, Resources } = expanded.parse(JSON.parse(readFileSync(path, 'utf8')));
    const defaults = Object.entries(Parameters).flatMap(([name, { Default }]) =>
      Default === undefined ? [] : [[name, Default] as const],
    );
    return (parameters = {}) => {
      const { resolve, holds } = evaluator(Conditions, new Map([...defaults, ...Object.entries(parameters)]));
      return Object.fromEntries(
        Object.entries(Resources)
          .filter(([, { Condition }]) => Condition === undefined || holds(Condition))
          .map(([id, one]) => [
            id,
            { ...one, Properties: z.record(z.string(), z.unknown()).parse(resolve(one.Properties)) },
          ]),
      );
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
