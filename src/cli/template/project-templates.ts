import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Properties } from '../../deploy/cloudformation.ts';
import { projectStack, stackText } from '../../deploy/stack-template.ts';
import { extraName } from '../../deploy/template/extra-template.ts';
import type { RuleSettings } from '../../model/rules/config.ts';
import { version } from '../own-package.ts';
import { type Project, templateName } from '../project.ts';

export function presentTemplate({ folder }: Project): string | undefined {
  // A checkout may have changed the line endings.
  return textOf(join(folder, templateName))?.replaceAll('\r\n', '\n');
}

/**
 * The stack that a project's config asks for, with its own part.
 * @throws RuleError or DenormError as {@link projectStack} does
 */
export function wantedStack(
  { folder, config }: Project,
  parameters: RuleSettings['parameters'] = {},
): Properties {
  return projectStack({ config, parameters, extra: textOf(join(folder, extraName)) });
}

export function templateOf(stack: Properties): string {
  return stackText(stack, version);
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
