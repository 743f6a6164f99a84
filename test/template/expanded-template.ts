import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { pythonTool } from '../../scripts/python-tools.ts';
import { runTool } from '../../scripts/sam.ts';
import { parseTemplate, resolver } from '../../src/develop/dev/template-values.ts';

/** What tools of AWS want to know of their surroundings. */
export const toolSettings = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };

/** Writes a SAM template as CloudFormation gets it, as JSON. */
export async function expandTo(path: string, templatePath: string): Promise<void> {
  const args = ['scripts/expand-template.py', templatePath, path];
  const expansion = await runTool(pythonTool('sam', 'python'), args, { env: toolSettings });
  if (expansion.code !== 0) throw new Error(`Expected ${templatePath} to expand:\n${expansion.output}`);
}

const resource = z.object({
  Type: z.string(),
  Condition: z.string().optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});

export type Resource = z.infer<typeof resource>;

/**
 * The resources that CloudFormation makes of a SAM template for these parameters, by logical id: conditions evaluated,
 * what names another resource left as `{Ref}` or `{'Fn::GetAtt'}`.
 */
export type ResourcesFor = (
  parameters?: Readonly<Record<string, string>>,
) => Readonly<Record<string, Resource>>;

export async function expandedTemplate(templatePath: string): Promise<ResourcesFor> {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-expanded-'));
  try {
    const path = join(folder, 'expanded.json');
    await expandTo(path, templatePath);
    const text = readFileSync(path, 'utf8');
    const template = parseTemplate(text);
    const { Resources } = z.object({ Resources: z.record(z.string(), resource) }).parse(JSON.parse(text));
    const defaults = Object.entries(template.Parameters).flatMap(([name, { Default }]) =>
      Default === undefined ? [] : [[name, Default] as const],
    );
    return (parameters = {}) => {
      const { resolve, holds } = resolver(template, new Map([...defaults, ...Object.entries(parameters)]));
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
