import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { run } from './denorm.ts';

test('a command lets V8 keep little garbage, because a long scan makes much of it', async () => {
  const project = projectCopy();
  const config = join(project, 'denorm.config.ts');
  const saying = "console.error(process.execArgv.filter((flag) => flag.includes('space-size')).join());\n";
  writeFileSync(config, `${readFileSync(config, 'utf8')}${saying}`);

  const { code, stderr } = await run(['rules'], project, { DENORM_CONFIG: '' });

  expect({ code, stderr: stderr.trim() }).toEqual({ code: 0, stderr: '--max-semi-space-size=4' });
});
