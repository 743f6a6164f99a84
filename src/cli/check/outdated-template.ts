import { isGenerated } from '../../deploy/stack-template.ts';
import type { Finding } from '../../develop/check/finding.ts';
import type { RuleSettings } from '../../model/config.ts';
import type { Project } from '../project.ts';
import { presentTemplate, wantedTemplate } from '../template/project-templates.ts';

/**
 * Whether a generated template is what the config says now. One that the project wrote itself is compared in its names
 * and filters only.
 */
export function outdatedTemplate(project: Project, { parameters }: RuleSettings): readonly Finding[] {
  const present = presentTemplate(project);
  if (present === undefined || !isGenerated(present)) return [];
  if (present === wantedTemplate(project, parameters)) return [];
  const says =
    'Expected template.yaml to be what denorm.config.ts says, found another: run `npx denorm template`, which prints the differences with --check';
  return [{ about: 'template', subject: 'template.yaml', says }];
}
