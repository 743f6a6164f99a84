import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../check/finding.ts';
import type { RuleSettings } from '../../model/config.ts';
import { extraName } from '../../stack/extra-template.ts';
import { isGenerated, stackTemplate } from '../../stack/stack-template.ts';
import type { Project } from '../project.ts';
import { version } from '../version.ts';

/**
 * Whether a generated template is what the config says now. One that the project wrote itself is compared in its names
 * and filters only.
 */
export function outdatedTemplate(
  { folder, config }: Project,
  { parameters = {} }: RuleSettings,
): readonly Finding[] {
  const file = join(folder, 'template.yaml');
  const before = textOf(file)?.replaceAll('\r\n', '\n');
  if (before === undefined || !isGenerated(before)) return [];
  const text = stackTemplate({ config, parameters, version, extra: textOf(join(folder, extraName)) });
  if (text === before) return [];
  const says =
    'Expected template.yaml to be what denorm.config.ts says, found another: run `npx denorm template`, which prints the differences with --check';
  return [{ about: 'template', subject: 'template.yaml', says }];
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
