import { checkRegistry } from '../../check/check-project.ts';
import type { Finding } from '../../check/finding.ts';
import type { RuleSettings } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { templateFindings } from '../check/template-findings.ts';
import { canCheckTypes, typeErrors } from '../check/type-errors.ts';
import type { Project } from '../project.ts';

/**
 * Prints what `denorm check` finds, so that a mistake does not start silently: of rules and template at once, of types when the
 * compiler, which runs beside the worker, is done. A project without TypeScript is left alone.
 * @returns stops the compiler
 */
export function sayFindings(
  registry: Registry,
  project: Project,
  parameters: RuleSettings['parameters'],
): () => void {
  const { folder } = project;
  [...checkRegistry(registry), ...templateFindings(project, parameters)].forEach(sayFinding);
  if (!canCheckTypes(folder)) return () => {};
  const stopped = new AbortController();
  typeErrors(folder, stopped.signal).then((findings) => findings.forEach(sayFinding));
  return () => stopped.abort();
}

export function sayFinding({ about, subject, message }: Finding): void {
  console.error(`denorm: check: ${about}  ${subject}  ${message}`);
}
