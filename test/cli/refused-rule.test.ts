import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../suites/new-folder.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The output of `denorm rules` after an edit of a rule’s source. */
function withRule(change: (path: string) => void): Promise<{ code: unknown; stderr: string }> {
  const clone = newFolder();
  for (const part of ['bin', 'src', 'package.json', 'template.yaml'])
    cpSync(join(repository, part), join(clone, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'));
  change(join(clone, 'src/rules/order-date-on-items.ts'));
  return new Promise((resolve) =>
    execFile(process.execPath, [join(clone, 'bin/denorm.mjs'), 'rules'], (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  );
}

describe('an invalid rule is refused in one sentence', () => {
  test('if its definition is invalid', async () => {
    const { code, stderr } = await withRule((path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace("'order-date-on-items'", "'Order Date'")),
    );

    expect(stderr).toMatch(
      /^denorm: rule\.misnamed: Expected a rule name in lower case with hyphens, such as .*, got 'Order Date'\n$/,
    );
    expect(code).toBe(2);
  });

  test('if it is invalid TypeScript, with its file and line', async () => {
    const { code, stderr } = await withRule((path) => appendFileSync(path, 'const x = ;\n'));

    expect(stderr).toMatch(/^denorm: file:.*order-date-on-items\.ts:\d+: .+\n$/);
    expect(code).toBe(2);
  });
});
