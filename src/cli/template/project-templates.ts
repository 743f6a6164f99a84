import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extraName } from '../../deploy/extra-template.ts';
import { stackTemplate } from '../../deploy/stack-template.ts';
import { type TemplateSettings, templateSettings } from '../../develop/dev/template.ts';
import type { RuleSettings } from '../../model/config.ts';
import { type Project, templateName } from '../project.ts';
import { version } from '../version.ts';

/** The template that a project has; undefined if there is none. */
export function presentTemplate({ folder }: Project): string | undefined {
  // A checkout may have changed the line endings.
  return textOf(join(folder, templateName))?.replaceAll('\r\n', '\n');
}

/**
 * The template that a project's config asks for, with its own part.
 * @throws RuleError or DenormError as {@link stackTemplate} does
 */
export function wantedTemplate(
  { folder, config }: Project,
  parameters: NonNullable<RuleSettings['parameters']> = {},
): string {
  return stackTemplate({ config, parameters, version, extra: textOf(join(folder, extraName)) });
}

/**
 * The settings of the template that a project has or, if another tool deploys its functions and it has none, of the one that
 * its config asks for.
 * @param parameters of the application
 * @param replaced values that replace the defaults of the template's own parameters
 * @throws LocalError `template.invalid`, or as {@link wantedTemplate} does
 */
export function settingsInForce(
  target: Project,
  parameters: RuleSettings['parameters'],
  replaced: Readonly<Record<string, string>> = {},
): TemplateSettings {
  const text = presentTemplate(target) ?? wantedTemplate(target, parameters);
  return templateSettings(text, join(target.folder, templateName), replaced);
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
