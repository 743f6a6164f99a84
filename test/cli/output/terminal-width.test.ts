import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { stateCells, stateLine, stateNames, stateTable } from '../../../src/cli/archive/state-text.ts';
import { linesTable } from '../../../src/cli/dlq/lines.ts';
import { tableOf } from '../../../src/cli/output/table.ts';
import { pairs } from '../../../src/cli/output/terminal.ts';
import { paragraphs, printOnlyVisible } from '../../../src/cli/output/visible.ts';

/** What a stream with this many columns, or without any, gets of a text. */
function printed(text: string, columns?: number): string {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  printOnlyVisible(Object.assign(stream, columns === undefined ? {} : { columns }));
  stream.write(text);
  return written.join('');
}

const key = '{"PK":"SERVER#1","SK":"USER#1"}';

describe('on a terminal of 40 columns', () => {
  test.each([
    [
      'a sentence',
      'denorm: usage.key: Expected a key as JSON, got other',
      'denorm: usage.key: Expected a key as\n  JSON, got other',
    ],
    ['a finding', `differs  a-rule  ${key}  Name`, `differs  a-rule\n         ${key}\n         Name`],
    [
      'a pair',
      '  why    one two three four five six seven',
      '  why    one two three four five six\n         seven',
    ],
    [
      'a pair in color',
      '  \u001b[2mwhy \u001b[22m   one two three four five six seven',
      '  \u001b[2mwhy \u001b[22m   one two three four five six\n         seven',
    ],
    ['a key', `${key}, Membership and Member`, `${key},\n  Membership and Member`],
    ['a long label', `a-rule-of-a-very-long-name  ${key}`, `a-rule-of-a-very-long-name\n  ${key}`],
    [
      'a word in color',
      `\u001b[32mok      \u001b[39m  ${'x'.repeat(33)}`,
      `\u001b[32mok\u001b[39m\n  ${'x'.repeat(33)}`,
    ],
    ['a long word', `see ${'x'.repeat(50)} there`, `see\n  ${'x'.repeat(50)}\n  there`],
  ])('%s wraps at words', (_, line, lines) => {
    expect(printed(`${line}\n`, 40)).toBe(`${lines}\n`);
    expect(printed(`${line}\n`)).toBe(`${line}\n`);
  });

  test.each([
    ['JSON', `  "reason": "${'a sentence '.repeat(9)}"`],
    ['JSON of one line', '{"keys":[{"PK":"SERVER#1"},{"PK":"SERVER#2"}],"text":"a b"}'],
    ['a command to paste', `  $ denorm explain '${key}' --stack app`],
    ['settings to paste', '  export AWS_ENDPOINT_URL=http://127.0.0.1:8000 AWS_REGION=us-east-1'],
    ['a call of SAM CLI', '  sam local invoke Propagate --event event.json'],
    ['a short line', 'a  b'],
  ])('%s stays as it is', (_, line) => {
    expect(printed(line, 40)).toBe(line);
  });
});

describe('a table', () => {
  const head = ['rule', 'copies', 'differs', 'orphan'];
  const rows = [
    ['a', '5', '0', ''],
    ['b', '0', '0', '0.00'],
    ['c', '1,000', '2', ''],
  ];
  const text = (columns?: number) => {
    Object.assign(process.stdout, { columns });
    return tableOf(head, rows);
  };
  afterEach(() => void Object.assign(process.stdout, { columns: undefined }));

  test('has no columns and rows of zeros on a terminal', () => {
    expect(text(40).split('\n').slice(1).join('\n')).toBe(
      [
        '│ rule │ copies │ differs │',
        '├──────┼────────┼─────────┤',
        '│ a    │      5 │       0 │',
        '│ c    │  1,000 │       2 │',
        '└──────┴────────┴─────────┘',
        'only zeros: b',
      ].join('\n'),
    );
  });

  test('that is too wide wraps heads, shortens cells, and leaves out columns', () => {
    Object.assign(process.stdout, { columns: 50 });
    const key = '{"PK":"SERVER#0123456789","SK":"USER#0123456789"}';
    const table = tableOf(
      ['id', 'key', 'rule', 'read units', 'cause'],
      [['776a', key, 'a-rule-with-a-name', '7', 'changed']],
      ['cause', 'rule'],
    );
    expect(table.split('\n').slice(1, -2)).toEqual([
      '│ id   │ key                             │  read │',
      '│      │                                 │ units │',
      '├──────┼─────────────────────────────────┼───────┤',
      '│ 776a │ {"PK":"SERVER#0…ER#0123456789"} │     7 │',
    ]);
    expect(table).toMatch(/\nleft out at this width: cause, rule; a pipe or --json has all$/);
  });

  test('leaves out what matters least sooner than it cuts a key', () => {
    Object.assign(process.stdout, { columns: 60 });
    const rowOf = (key: string) => {
      const cells = [[key, 'changed', 'a-rule-with-a-name']];
      return tableOf(['key', 'cause', 'rule'], cells, ['rule', 'cause']).split('\n')[3];
    };

    expect(rowOf('k'.repeat(24))).toBe(`│ ${'k'.repeat(24)} │ changed │ a-rule-with-a-name │`);
    expect(rowOf('k'.repeat(33))).toBe(`│ ${'k'.repeat(33)} │ changed │`);
    const id = 'i'.repeat(32);
    const table = tableOf(
      ['key', 'at', 'kind', 'id'],
      [['k'.repeat(24), '12:00', 'Order', id]],
      ['kind', 'at', 'id'],
    );
    expect(table).toContain(`│ ${'k'.repeat(24)} │ 12:00 │ Order │\n`);
    expect(table).toContain('left out at this width: id;');
    expect(rowOf('k'.repeat(80))).toBe(
      `│ ${'k'.repeat(12)}…${'k'.repeat(12)} │ changed │ a-rule-with-a-name │`,
    );
  });

  test('that is too wide even so loses its last columns, and stays a table', () => {
    expect(text(26).split('\n').slice(1)).toEqual([
      '│ rule │ copies │',
      '├──────┼────────┤',
      '│ a    │      5 │',
      '│ c    │  1,000 │',
      '└──────┴────────┘',
      'left out at this width: differs; a pipe or --json has all',
      'only zeros: b',
    ]);
    expect(text(12).split('\n')[1]).toBe('│ rule │');
  });

  test('with one long name stays a table, its cells as short as they must be', () => {
    Object.assign(process.stdout, { columns: 16 });

    expect(tableOf(['rule', 'copies'], [['a-rule-with-a-long-name', '5']]).split('\n')).toEqual([
      '┌──────────────┐',
      '│ rule         │',
      '├──────────────┤',
      '│ a-rule…-name │',
      '└──────────────┘',
      'left out at this width: copies; a pipe or --json has all',
    ]);
  });

  test('never shortens an id, which is there to be copied', () => {
    Object.assign(process.stdout, { columns: 64 });
    const id = 'x'.repeat(32);
    const table = tableOf(['key', 'id'], [['k'.repeat(30), id]]);

    expect(table).toContain(`│ ${id} │`);
    Object.assign(process.stdout, { columns: 40 });
    expect(tableOf(['key', 'id'], [['k'.repeat(30), id]])).toContain('left out at this width: id');
  });

  test('is whole where no terminal shows it', () => {
    expect(text().split('\n')).toHaveLength(7);
    expect(text()).toContain('│ b    │      0 │       0 │   0.00 │');
  });
});

test('lines of failures keep rule, key and code on a terminal', () => {
  Object.assign(process.stdout, { columns: 80 });
  const line = {
    ...{
      id: '0123456789ab',
      rule: 'incident-on-participations',
      key: { pk: 'ACCT#1', sk: 'INC#2026-11-01' },
    },
    ...{ record: undefined, code: 'attempts.exceeded', reason: 'Gave up', causes: ['changed' as const] },
    ...{ count: 2, oldest: 0, newest: 0, isRedrivable: true },
  };
  const table = linesTable({ pk: 'PK', sk: 'SK' }, [line], 0);
  Object.assign(process.stdout, { columns: undefined });

  expect(table.split('\n').slice(3)).toEqual([
    '│ 0123456789ab │ incident-…cipations │ {"PK":"AC…6-11-01"} │ attempts.exceeded │',
    expect.any(String),
    'left out at this width: count, age, cause; a pipe or --json has all',
  ]);
});

describe('archived states', () => {
  const names = { pk: 'PK', sk: 'SK' };
  const item = { kind: 'Order', key: { pk: 'ORDER#1', sk: 'METADATA' }, states: [] };
  const state = {
    ...{ objectKey: 'o', versionId: 'v', final: true, archivedAt: 0, sequence: undefined, digest: undefined },
    ...{ kind: 'Order', key: undefined, bytes: 12, line: undefined, storageClass: 'STANDARD' as const },
  };
  afterEach(() => void Object.assign(process.stdout, { columns: undefined }));

  test('are a table on a terminal, which keeps what restores a state', () => {
    Object.assign(process.stdout, { columns: 80 });
    const table = stateTable([stateCells(names, item, state)]);
    expect(table).toContain('│ 1970-01-01T00:00:00.000Z │ Order │ {"PK":"ORDER#1","SK":"METADATA"} │ v  │');
    expect(table).toContain('left out at this width: class, bytes, last;');
  });

  test('are aligned under their labels elsewhere', () => {
    const status = { is: 'in table', expiresAt: 0 } as const;
    const cells = stateCells(names, { ...item, states: [state], status }, state);
    for (const hasStatus of [true, false])
      expect(stateLine(stateNames, hasStatus).indexOf('key')).toBe(stateLine(cells, hasStatus).indexOf('{'));
  });
});

test('a pair without a name, or without a value, has no blanks at its end', () => {
  const [named = '', nameless = ''] = pairs([
    ['name', ''],
    ['', key],
  ]).split('\n');

  expect(named).toBe('  name');
  expect(printed(nameless, 34)).toBe(`        ${key}`);
});

test('a text with lines of its own is one line a paragraph on a terminal', () => {
  const written = 'One\ntwo.\n\nThree:\n  $ four\n  $ five';
  expect(paragraphs(written)).toBe(written);
  Object.assign(process.stdout, { columns: 80 });
  const text = paragraphs(written);
  Object.assign(process.stdout, { columns: undefined });
  expect(text).toBe('One two.\n\nThree:\n  $ four\n  $ five');
});
