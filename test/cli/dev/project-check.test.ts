import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freePort } from '../../../src/dev/local-server.ts';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { start, until } from '../denorm.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** `denorm dev` in a project with a begins that no copy has and a type error, once it is ready. */
async function devOfMistakes(...args: readonly string[]) {
  const project = projectCopy();
  const rule = join(project, 'rules/order-date-on-items.ts');
  const text = readFileSync(rule, 'utf8').replace("begins: 'ITEM#'", "begins: 'ITEMS#'");
  writeFileSync(rule, `${text}\nexport const wrong: number = 'text';\n`);
  symlinkSync(
    join(repository, 'node_modules/typescript'),
    join(project, 'node_modules/typescript'),
    'junction',
  );
  const compilerOptions = { module: 'nodenext', allowImportingTsExtensions: true, noEmit: true, types: [] };
  const include = ['rules/order-date-on-items.ts'];
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const dev = start(['dev', '--port', String(await freePort()), ...args], project, { DENORM_CONFIG: '' });
  await until(() => dev.stdout().includes('ready '), 'the ready line');
  return dev;
}

test('denorm dev says what is wrong with the rules and, once the compiler is done, with their types', async () => {
  const dev = await devOfMistakes();

  await until(
    () =>
      /^denorm: check: rules {2}order-date-on-items {2}Expected located\.at .*'ITEMS#'/m.test(dev.stderr()),
    'the finding of the rule',
  );
  await until(
    () => /^denorm: check: types {2}rules\/order-date-on-items\.ts:\d+ {2}TS2322: /m.test(dev.stderr()),
    'the type error',
  );
  await until(
    () =>
      /^denorm: check: \d+ rules, \d+ kinds, template\.yaml, types: (?!1 )[1-9]\d* findings$/m.test(
        dev.stderr(),
      ),
    'what was checked',
  );
  dev.process.kill('SIGTERM');
  expect(await dev.exited).toBe(0);
});

test('with --no-check it says nothing of the kind, and while the compiler runs it ends at once', async () => {
  const [silent, hurried] = await Promise.all([devOfMistakes('--no-check'), devOfMistakes()]);
  for (const dev of [silent, hurried]) dev.process.kill('SIGTERM');

  expect(await Promise.all([silent.exited, hurried.exited])).toEqual([0, 0]);
  expect(silent.stderr()).not.toContain('denorm: check:');
  expect(hurried.stderr()).not.toContain('TS');
});
