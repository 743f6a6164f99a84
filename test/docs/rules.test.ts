import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kindFields } from '../../src/model/kinds/define-kind.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { type ArchiveRule, agingFields, archiveFields } from '../../src/model/rules/archive-rule.ts';
import { configFields, stageFields, tableFields } from '../../src/model/rules/config.ts';
import { aggregateFields } from '../../src/model/rules/define-aggregate.ts';
import { ruleFields } from '../../src/model/rules/define-rule.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import { type Rule, removalPolicies } from '../../src/model/rules/rule.ts';
import { table } from '../../src/table.ts';
import { folderToCompile, typeCheck } from './fixtures/type-check.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(repository, 'docs/rules.md'), 'utf8');

const specs = {
  defineConfig: configFields,
  'Names of the table': tableFields,
  defineKind: kindFields,
  defineRule: ruleFields,
  defineAggregate: aggregateFields,
  defineArchive: archiveFields,
  aging: agingFields,
};

const chapters = sectionsOf(page, '## ');

describe('the page on rules', () => {
  test.each(Object.entries(specs))('has a section for each field of %s, and for no other', (spec, fields) => {
    const documented = [...sectionsOf(chapter(spec), '### ').keys()].filter((title) => title.startsWith('`'));

    expect(documented).toEqual(Object.keys(fields).map((field) => `\`${field}\``));
  });
});

test('the page names each field of a stage', () => {
  const section = sectionsOf(chapter('defineConfig'), '### ').get('`stages`') ?? '';

  for (const field of Object.keys(stageFields)) expect(section).toContain(`\`${field}\``);
});

test('the page says of each removal policy what becomes of copies, and of no other', () => {
  const rows = chapter('defineRule').match(/^\| `'.*?'` \|/gm);

  expect(rows).toEqual(removalPolicies.map((policy) => `| \`'${policy}'\` |`));
});

describe('an example', () => {
  const [items = '', ...examples] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, source = '']) => source,
  );
  const files = examples.map((source, index) => ({ file: `example-${index + 1}.ts`, source }));
  let folder: string;
  let complaints: string;

  beforeAll(async () => {
    folder = folderToCompile('rules-page-');
    writeFileSync(join(folder, 'items.ts'), `${imports()}\n${items}`);
    for (const { file, source } of files) {
      const own = new Set(namesIn(source));
      const taken = namesIn(items).filter((name) => !own.has(name));
      writeFileSync(
        join(folder, file),
        `${imports(own)}import { ${taken.join(', ')} } from './items.ts';\n${source}`,
      );
    }
    complaints = await typeCheck(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('compiles', () => {
    expect(complaints).toBe('');
    expect(files.length).toBeGreaterThan(5);
  });

  test.each(files)('is loaded as a rule of a project: $file', async ({ file }) => {
    const exported: Record<string, unknown> = await import(/* @vite-ignore */ join(folder, file));
    const values = Object.values(exported);
    makeRegistry(table, values.filter(isRule), values.filter(isArchiveRule), [], values.filter(isAggregate));
  });
});

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && 'located' in value;
}

function isArchiveRule(value: unknown): value is ArchiveRule {
  return typeof value === 'object' && value !== null && 'kinds' in value;
}

/** The imports that a file of rules begins with, but for the names that it defines itself. */
function imports(own: ReadonlySet<string | undefined> = new Set()): string {
  const modules = {
    zod: ['z'],
    [pathOf('../../src/model/kinds/define-kind.ts')]: ['defineKind'],
    [pathOf('../../src/model/rules/config.ts')]: ['defineConfig'],
    [pathOf('../../src/model/rules/define-rule.ts')]: ['defineRule'],
    [pathOf('../../src/model/rules/archive-rule.ts')]: ['aging', 'defineArchive', 'predicate'],
    [pathOf('../../src/model/rules/define-aggregate.ts')]: ['defineAggregate'],
    [pathOf('../../src/model/rules/reducers.ts')]: ['count', 'max'],
    [pathOf('../../src/model/items/table-names.ts')]: ['type TableNames'],
    [pathOf('../../src/table.ts')]: ['GSI1', 'GSI2', 'GSI3', 'table'],
  };
  return Object.entries(modules)
    .map(
      ([path, names]) => `import { ${names.filter((name) => !own.has(name)).join(', ')} } from '${path}';\n`,
    )
    .join('');
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function isAggregate(value: unknown): value is Aggregate {
  return typeof value === 'object' && value !== null && 'computes' in value && 'limit' in value;
}

function namesIn(source: string): string[] {
  return [...source.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name = '']) => name);
}

function chapter(title: string): string {
  return chapters.get(title) ?? '';
}

function sectionsOf(text: string, mark: string): Map<string, string> {
  const parts = `\n${text}`.split(`\n${mark}`).slice(1);
  return new Map(parts.map((part) => [part.split('\n', 1)[0] ?? '', part]));
}
