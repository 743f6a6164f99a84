import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { outside, succeeds } from './shell.ts';

/**
 * A copy of a project, which is removed after the test. Its packages are a link to those of the project.
 * @param packages `own` for packages that the test replaces
 */
export async function projectCopy(project: string, packages: 'linked' | 'own' = 'linked'): Promise<string> {
  const { folder, remove } = outside();
  onTestFinished(remove);
  const copy = join(folder, 'copy');
  cpSync(project, copy, { recursive: true, filter: (path) => path !== join(project, 'node_modules') });
  if (packages === 'linked') symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  else await succeeds(`cp -al '${project}/node_modules' node_modules`, copy);
  return copy;
}
