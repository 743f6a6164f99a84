import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../src/develop/dev/template-values.ts';
import { run } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/operations.md');

/** Every command that the page tells to run, as its words; `>` and what follows are the shell's. */
const commands = [...page.matchAll(/npx denorm ([^\n`]+)/g)].map(([, line = '']) =>
  [...line.replace(/ [>|;].*$/, '').matchAll(/'[^']*'|\S+/g)].map(([word]) => word),
);

/** The words before the first option or argument: the command and the one below it. */
function nameOf(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  return ['dlq', 'archive'].includes(first) ? `${first} ${second}` : first;
}

describe('the page on operations', () => {
  test('names commands', () => {
    expect(commands.length).toBeGreaterThan(15);
  });

  test.each([...new Set(commands.map(nameOf))])('names only options that `denorm %s` has', async (name) => {
    const { code, stdout } = await run([...name.split(' '), '--help'], newFolder());
    const named = commands
      .filter((words) => nameOf(words) === name)
      .flatMap((words) => words.filter((word) => word.startsWith('--')));

    expect(code).toBe(0);
    for (const option of named) expect(stdout).toMatch(new RegExp(`^ +(-\\w, )?${option}\\b`, 'm'));
  });

  test('names only parameters that the template has', () => {
    const { Parameters } = parseTemplate(read('template.yaml'));
    const named = [...page.matchAll(/[`\s]([A-Z][a-z]+[A-Z]\w+)=/g)].map(([, name]) => name);

    expect(named).toContain('ExistingTableName');
    for (const name of named) expect(Object.keys({ ...Parameters, ...ofAws })).toContain(name);
  });

  test('links to existing files', () => {
    for (const [, file = ''] of page.matchAll(/\]\(([\w.-]+)(?:#[\w-]+)?\)/g))
      expect(read(`docs/${file}`)).not.toBe('');
    expect(read('docs/runbook.md')).toContain(
      '## PropagateDeadLetteredAlarm, ArchiveDeadLetteredAlarm, FanOutDeadLetteredAlarm',
    );
  });
});

/** What stands in commands of the AWS CLI. */
const ofAws = { StreamEnabled: 1, StreamViewType: 1, PointInTimeRecoveryEnabled: 1, AttributeName: 1 };
