import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Finding } from '../../check/finding.ts';
import type { Properties } from '../../deploy/cloudformation.ts';
import { isGenerated } from '../../deploy/stack-template.ts';
import type { RuleSettings } from '../../model/rules/config.ts';
import { functionNames, serviceOf } from '../../model/work/settings.ts';
import { type Project, templateName } from '../project.ts';
import { presentTemplate, templateOf, wantedStack } from '../template/project-templates.ts';

/** Whether a generated template is what the config says now, and which functions' files are missing; nothing without one. */
export function templateFindings(
  project: Project,
  parameters: RuleSettings['parameters'],
): readonly Finding[] {
  const present = presentTemplate(project);
  if (present === undefined || !isGenerated(present)) return [];
  const stack = wantedStack(project, parameters);
  const outdated: Finding = {
    about: 'template',
    subject: templateName,
    message: `Expected ${templateName} to be what denorm.config.ts says, found another: run \`npx denorm template\`, then \`git diff\``,
  };
  const isPresent = present === templateOf(stack);
  return [...(isPresent ? [] : [outdated]), ...handlerFindings(project, stack)];
}

const stackSchema = z.object({ Resources: z.record(z.string(), z.unknown()) });

/** Functions of the stack without an entry point: `sam build` needs them. */
export function handlerFindings({ folder }: Pick<Project, 'folder'>, stack: Properties): readonly Finding[] {
  const { Resources } = stackSchema.parse(stack);
  return functionNames.flatMap((id): Finding[] => {
    const file = `handlers/${serviceOf(id)}.ts`;
    if (!Object.hasOwn(Resources, id) || existsSync(join(folder, file))) return [];
    const maker = `${id.charAt(0).toLowerCase()}${id.slice(1)}Handler`;
    const message = `Expected the handler of ${id} in ${file}, found no such file: add it, with \`import { ${maker} } from 'stream-denormalizer/lambda'\`, the config and \`export const handler = ${maker}(config)\``;
    return [{ about: 'handlers', subject: id, message }];
  });
}
