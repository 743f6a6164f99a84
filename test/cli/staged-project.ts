import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectCopy } from '../fixtures/application/project-copy.ts';

/** The folder of a project of its own whose config has these stages. */
export function stagedProject(stages: object): string {
  const folder = projectCopy();
  const file = join(folder, 'denorm.config.ts');
  const text = `  table,\n  stages: ${JSON.stringify(stages)},\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('  table,\n', text));
  return folder;
}
