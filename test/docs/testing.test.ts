import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/model/basics/type-of.ts';
import { comparedServers, differences } from '../servers/differences.ts';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The table of servers, each row as its cells. */
const [header = [], ...rows] = text('docs/testing.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('the table of servers has a row for each difference that is tested, and no other', () => {
  expect(rows.map(([what]) => what)).toEqual(differences.map(({ what }) => what));
});

test('its columns are the servers in the versions that are installed', () => {
  const { packages } = fieldsOf(JSON.parse(text('package-lock.json')));
  const { version } = fieldsOf(fieldsOf(packages)['node_modules/@dynoxide/linux-x64']);
  const pinned = (name: string) =>
    new RegExp(`^${name}(?:\\[.*\\])?==(.*)$`, 'm').exec(text(`requirements/${name}.in`))?.[1];

  expect(header).toEqual([
    'DynamoDB',
    `dynoxide ${version}`,
    `MiniStack ${pinned('ministack')}`,
    `moto ${pinned('moto')}`,
  ]);
});

test.each(differences)('its row says which servers are as DynamoDB: $what', ({ what, seen }) => {
  const cells = rows.find(([first]) => first === what)?.slice(1) ?? [];
  expect(cells.map((cell) => cell === 'yes')).toEqual(comparedServers.map((name) => !(name in seen)));
});
