import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../suites/new-folder.ts';

const application = fileURLToPath(new URL('.', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the tests' application as a project of its own, which has the engine in its node_modules. For tests that edit it. */
export function projectCopy(): string {
  const project = join(newFolder(), 'app');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  for (const part of ['denorm.config.ts', 'table.ts', 'template.yaml', 'rules'])
    cpSync(join(application, part), join(project, part), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
  symlinkSync(repository, join(project, 'node_modules', 'stream-denormalizer'), 'junction');
  symlinkSync(join(repository, 'node_modules', 'zod'), join(project, 'node_modules', 'zod'), 'junction');
  return project;
}
