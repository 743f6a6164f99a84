import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { checkProject } from '../../../src/develop/check/check-project.ts';
import { defineConfig } from '../../../src/model/config.ts';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { bare } from '../../fixtures/model/rules.ts';
import { table } from '../../fixtures/model/table.ts';

const handlers = ['propagate', 'archive', 'fan-out', 'sweep', 'verify'];

/** The tests' application with handlers, after a change of its template. */
function project(change: (template: string) => string = (template) => template): string {
  const folder = projectCopy();
  mkdirSync(join(folder, 'handlers'), { recursive: true });
  for (const name of handlers) writeFileSync(join(folder, `handlers/${name}.ts`), '');
  const path = join(folder, 'template.yaml');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, change(before));
  return folder;
}

function changed(from: string | RegExp, to: string) {
  return (template: string) => {
    const after = template.replace(from, to);
    expect(after).not.toBe(template);
    return after;
  };
}

function found(folder: string) {
  return checkProject(config, folder).map(({ about, subject, says }) => `${about} ${subject}: ${says}`);
}

describe('a project', () => {
  test('that is right has no findings', () => {
    expect(checkProject(config, project())).toEqual([]);
  });

  test('without a template has nothing to compare with', () => {
    expect(checkProject(config, join(project(), 'rules'))).toEqual([]);
  });

  test('whose rules are refused says why', () => {
    const refused = defineConfig({ table, rules: [bare({ name: 'a', copies: ['Part'] })] });

    expect(checkProject(refused, '.')).toEqual([
      {
        about: 'rules',
        subject: 'a',
        says: "rule.writes-key: Rule a writes 'Part', a key of the table: remove it from copies or derive",
      },
    ]);
  });

  test('is checked with rules that are switched off, as its template is', () => {
    expect(checkProject(config, project(), { disabled: ['username-on-memberships'] })).toEqual([]);
  });
});

describe('a template is found wrong', () => {
  test.each<[string, (template: string) => string, string]>([
    [
      'if the table has another key',
      changed(/AttributeName: SK(?=,? *\s*KeyType: RANGE)/, 'AttributeName: Sort'),
      'template template.yaml: Expected the table of template.yaml to have the names of denorm.config.ts, found others (key PK (S) and Sort (?) instead of PK (S) and SK (S)): run `npx denorm template`, or correct the names in the config',
    ],
    [
      'if an index is missing',
      changed('IndexName: GSI3', 'IndexName: GSI9'),
      'template template.yaml: Expected the table of template.yaml to have the names of denorm.config.ts, found others (no index GSI3): run `npx denorm template`, or correct the names in the config',
    ],
    [
      'if TTL is on another attribute',
      changed(/(TimeToLiveSpecification:\s+AttributeName:) ExpiresAt/, '$1 ttl'),
      'template template.yaml: Expected the table of template.yaml to have the names of denorm.config.ts, found others (TTL attribute ttl instead of ExpiresAt): run `npx denorm template`, or correct the names in the config',
    ],
    [
      'if the stream has new images only',
      changed('StreamViewType: NEW_AND_OLD_IMAGES', 'StreamViewType: NEW_IMAGE'),
      'template template.yaml: Expected the table of template.yaml to have the names of denorm.config.ts, found others (stream of NEW_IMAGE instead of NEW_AND_OLD_IMAGES): run `npx denorm template`, or correct the names in the config',
    ],
  ])('%s', (_, change, says) => {
    expect(found(project(change))).toEqual([says]);
  });

  test('if its filters are those of other rules', () => {
    expect(found(project(changed('#METADATA', '#META')))[0]).toMatch(
      /^template template\.yaml: Expected the filters of Propagate in template\.yaml to be those that follow/,
    );
  });

  test('if it is no template', () => {
    expect(found(project(() => 'Resources: 7'))[0]).toMatch(
      /^template template\.yaml: Expected .*template\.yaml to define/,
    );
  });

  test('if the file of a function is missing, with what to write', () => {
    const folder = project();
    rmSync(join(folder, 'handlers/fan-out.ts'));

    expect(found(folder)).toEqual([
      'handlers FanOut: Expected the handler of FanOut in handlers/fan-out.ts, found no such file: add it, with `export const handler = fanOutHandler(config)`',
    ]);
  });

  test('if the entry point of a function is none of the package’s', () => {
    expect(found(project(changed(/fan-out\.ts/, 'fan-in.ts')))).toEqual([
      'handlers FanOut: Expected the handler of FanOut in handlers/fan-in.ts, found no such file: add it, or correct the template',
    ]);
  });
});
