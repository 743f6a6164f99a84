import { join } from 'node:path';
import { expect, test } from 'vitest';
import { denyingProxy } from '../../suites/forwarding-proxy.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { jsonLines, run } from '../denorm.ts';
import { driftedOrder } from '../drifted-order.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { server } = embeddedTables();

let tables = 0;

/** A table with an order whose copy does not follow it, and both are in its stream. */
async function driftedTable(stream = true, command = 'replay') {
  tables += 1;
  const table = await driftedOrder(server().endpoint, `replayed-${tables}`, stream);
  const at = ['--endpoint', table.endpoint, '--table', table.name];
  if (command !== 'replay') await run([command, ...at, '--rule', 'order-on-user-order'], newFolder());
  return (...args: string[]) => run(['replay', ...at, ...args], newFolder());
}

test('a replay puts right what changed since then, and says what it read, did and left', async () => {
  const replay = await driftedTable();
  const rule = ['--rule', 'order-on-user-order'];

  const dry = await replay('--since', '1h', ...rule, '--dry-run');
  expect(dry.stdout).toMatch(/^update {2}set .*Status/m);
  expect(dry.stdout).toMatch(
    /^\$ npx denorm replay --.* --rule \S+\n.* 1 copy would be written, .* 0 left alone\n$/m,
  );

  // It may read the record of its own write.
  const done = await replay('--since', '1h', ...rule);
  expect(done.stdout).toMatch(
    /^[23] records read; [23] changes since \S+Z, [23] of concern to a rule; [12] propagations?, 1 copy written, [01] already right, 0 left alone\n$/,
  );
  expect(done.code).toBe(0);

  const again = await replay('--since', '1h', ...rule, '--json');
  expect(jsonLines<{ readonly summary?: object }>(again).at(-1)?.summary).toMatchObject({
    ...{ finished: true, dryRun: false, written: 0, leftAlone: 0, unreadable: 0 },
    since: expect.stringMatching(/Z$/),
  });
});

test('a replay says that it did not run a rule, because it is paused', async () => {
  const replay = await driftedTable(true, 'pause');

  const { stdout } = await replay('--since', '1h');
  expect(stdout).toMatch(/^not run, because paused since 20\S+Z: order-on-user-order$/m);
  const { summary } =
    jsonLines<{ readonly summary?: object }>(await replay('--since', '1h', '--json')).at(-1) ?? {};
  expect(summary).toMatchObject({ paused: { 'order-on-user-order': expect.any(String) }, disabled: [] });
});

test.each<[string, RegExp]>([
  ['disabled', /^not run, because disabled: order-on-user-order\n/],
  ['ruleless', /: nothing was run again, because no rule is in force; /],
])('a replay says what was not run for want of a rule: %s', async (config, says) => {
  const replay = await driftedTable();
  const { stdout, code } = await replay(
    ...['--since', '1h', '--config', join(import.meta.dirname, `../drift/${config}.config.ts`)],
  );

  expect(stdout).toMatch(says);
  expect(code).toBe(config === 'ruleless' ? 1 : 0);
});

test('a replay tells what it did if an error ends it', async () => {
  const replay = await driftedTable();

  expect(
    await replay('--since', '1h', '--endpoint', await denyingProxy(server().endpoint, 'GetRecords')),
  ).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^stopped before its end: 0 propagations, /),
    stderr: expect.stringMatching(/^denorm: aws\.denied: GetRecords /),
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['before the stream', ['--since', '2020-01-01T00:00:00Z'], /Expected a time of the last 24 hours/],
  ['in the future', ['--since', '2999-01-01T00:00:00Z'], /Expected a time of the last 24 hours/],
  ['that is none', ['--since', 'yesterday'], /Expected a time of the last 24 hours.*14:00, 2h, 90m/],
  ['with a rule that is none', ['--since', '1h', '--rule', 'no'], /Expected --rule to be one of/],
])('a time %s is refused in a sentence', async (_, args, says) => {
  const { stderr, code } = await (await driftedTable())(...args);

  expect(stderr).toMatch(says);
  expect(code).toBe(2);
});

test('a table without a stream is refused', async () => {
  const { stderr, code } = await (await driftedTable(false))('--since', '1h');

  expect(stderr).toMatch(/^denorm: usage\.stream: Expected table replayed-\d+ to have a stream/);
  expect(code).toBe(2);
});
