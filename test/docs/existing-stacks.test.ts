import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseTemplate } from '../../src/dev/template-values.ts';
import { defineConfig, environmentName } from '../../src/model/config.ts';
import { stackTemplate } from '../../src/stack/stack-template.ts';
import { clubTotals } from '../fixtures/league/league.ts';
import { table } from '../fixtures/model/table.ts';
import { everything as config } from '../stack/configs.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const page = read('docs/existing-stacks.md');
const { Resources, Globals } = parseTemplate(stackTemplate({ config, version: '0.0.0' }));
const league = parseTemplate(
  stackTemplate({ config: defineConfig({ table, rules: [], aggregates: [clubTotals] }), version: '0.0.0' }),
);
const functions = ['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify'] as const;
type FunctionName = (typeof functions)[number];

/** The rows of the table in a section, without its head. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const lines = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const isFor =
  (name: FunctionName) =>
  ([first = '', second = '']: readonly string[], column = first) =>
    column === 'all' || [first, second].some((cell) => cell.split(', ').includes(name));

const settings = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) });
const properties = (id: string) => Resources[id]?.Properties ?? {};

describe('the page on stacks of other tools', () => {
  test.each(functions)('names the environment of %s, and nothing else', (name) => {
    const shared = settings.parse(Globals.Function).Environment.Variables;
    const own = settings.parse(properties(name)).Environment.Variables;
    const parameters = Object.keys(config.parameters).map(environmentName);
    const wanted = Object.keys({ ...shared, ...own }).filter(
      (variable) => !parameters.includes(variable) && !variable.startsWith('AWS_ENDPOINT_URL'),
    );
    const named = rowsOf('Environment')
      .filter(([, of = '']) => of === 'all' || of.split(', ').includes(name))
      .map(([variable]) => variable);

    expect(named.toSorted()).toEqual(wanted.toSorted());
  });

  test.each(functions)('names the permissions of %s, and nothing else', (name) => {
    const named = rowsOf('Permissions')
      .filter((row) => isFor(name)(row))
      .flatMap(([, actions = '', on = '']) => actions.split(', ').map((action) => `${action} on ${on}`));

    const wanted = new Set(
      [Resources, league.Resources].flatMap((resources) => permissionsOf(resources, name)),
    );
    expect(named.toSorted()).toEqual([...wanted].toSorted());
  });

  test('names the settings of the mappings', () => {
    const rows = rowsOf('Mappings, queues and buckets');
    for (const [column, id] of (['Propagate', 'Archive', 'FanOut'] as const).entries()) {
      const text = JSON.stringify(properties(id)['Events']);
      for (const [setting = '', ...values] of rows) {
        const value = values[column] ?? '';
        if (value === '' || setting === 'OnFailure') continue;
        const written =
          value === 'ReportBatchItemFailures'
            ? '["ReportBatchItemFailures"]'
            : JSON.stringify(value).replaceAll('"', '');
        // A parameter of the template has this default.
        const found =
          text.includes(`"${setting}":${written}`) ||
          text.includes(`"${setting}":"${written}"`) ||
          text.includes(`"${setting}":{"Ref":`);
        expect(found, `${setting} of ${id}`).toBe(true);
      }
    }
    expect(rows).toHaveLength(10);
  });

  test('says how long queues and buckets keep things', () => {
    const seconds = (id: string, name: string) => Number(properties(id)[name]);

    expect(page).toContain(`visibility timeout ${seconds('FanOutQueue', 'VisibilityTimeout')} s`);
    expect(page).toContain(
      `retention ${seconds('FanOutQueue', 'MessageRetentionPeriod') / 86_400} days, dead-letter`,
    );
    expect(page).toContain(
      `retention ${seconds('DeadLetterQueue', 'MessageRetentionPeriod') / 86_400} days. `.trim(),
    );
    expect(JSON.stringify(properties('FanOutQueue'))).toContain('"maxReceiveCount":240');
    expect(page).toContain('after 240 receives');
  });
});

const statement = z.object({
  Sid: z.string(),
  Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  Resource: z.unknown(),
});
const conditional = z.object({ 'Fn::If': z.tuple([z.literal('ErasesArchive'), statement, z.unknown()]) });
const policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(z.union([statement, conditional])) }),
});
/** The second policy is about the key of a table, on which the page has a sentence of its own. */
const roleSchema = z.object({ Policies: z.tuple([policy, z.unknown()]) });

/** Each action of a function's role, with what it is on, as the page says it. None if there is no such function. */
function permissionsOf(of: typeof Resources, name: FunctionName): string[] {
  const role = of[`${name}Role`];
  if (role === undefined) return [];
  const [{ PolicyDocument }] = roleSchema.parse(role.Properties).Policies;
  return PolicyDocument.Statement.flatMap((one) => {
    const erases = 'Fn::If' in one;
    const { Action, Resource } = erases ? one['Fn::If'][1] : one;
    return Action.map(
      (action) => `${action} on ${resourceText(JSON.stringify(Resource))}${erases ? ', to erase' : ''}`,
    );
  });
}

const resourceNames: readonly (readonly [RegExp, string])[] = [
  [/Table\.StreamArn/, 'the stream'],
  [/\/stream\/\*/, '<table>/stream/*'],
  [/\/index\//, 'the indexes that rules query'],
  [/Table\.Arn/, 'the table'],
  [/FanOutQueue\.Arn.*DeadLetterQueue\.Arn/, 'both queues'],
  [/FanOutQueue\.Arn/, 'the fan-out queue'],
  [/DeadLetterQueue\.Arn/, 'the dead-letter queue'],
  [/FailureBucket\.Arn\}\/\*/, '<failure bucket>/*'],
  [/FailureBucket\.Arn/, '<failure bucket>'],
  ...['archive', 'manifests', 'erased', 'state', 'restored'].map(
    (prefix) => [new RegExp(`ArchiveBucket\\.Arn\\}/${prefix}/\\*`), `<archive bucket>/${prefix}/*`] as const,
  ),
  [/ArchiveBucket\.Arn/, '<archive bucket>'],
  [/Log\.Arn/, "the function's log group"],
];

function resourceText(json: string): string {
  return resourceNames.find(([pattern]) => pattern.test(json))?.[1] ?? json;
}
