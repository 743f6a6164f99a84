// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { denyingProxy } from '../../suites/forwarding-proxy.ts';
import { type Ran, run } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { membership, user } from '../items.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const tables = embeddedTables();

/** A project with handlers, after edits of its files. */
function project(...edits: readonly (readonly [file: string, from: string, to: string])[]): string {
  const folder = realpathSync(projectCopy());
  mkdirSync(join(folder, 'handlers'));
  for (const name of ['propagate', 'archive', 'fan-out', 'sweep', 'verify', 'heartbeat'])
    writeFileSync(join(folder, `handlers/${name}.ts`), 'export {};\n');
  for (const [file, from, to] of edits) {
    const before = readFileSync(join(folder, file), 'utf8');
    expect(before).toContain(from);
    writeFileSync(join(folder, file), before.replace(from, to));
  }
  return folder;
}

function check(folder: string, ...args: readonly string[]): Promise<Ran> {
  return run(['check', ...args], folder, { DENORM_CONFIG: '' });
}

const rule = 'rules/order-date-on-items.ts';

describe('denorm check', () => {
  test('finds nothing in a project that is right', async () => {
    const { code, stdout, stderr } = await check(project(), '--no-types');

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^checked \d+ rules, \d+ kinds, template\.yaml, no types: 0 findings\n$/);
    expect(code).toBe(0);
  });

  test('prints a line for each finding and exits 1', async () => {
    const folder = project([rule, "begins: 'ITEM#'", "begins: 'ITEMS#'"]);
    const { code, stdout } = await check(folder, '--no-types');

    expect(stdout).toMatch(
      /^rules {2}order-date-on-items {2}Expected located\.at of rule order-date-on-items to return a begins with which a sort key of OrderItem begins, got 'ITEMS#' for an example/,
    );
    expect(stdout).toMatch(/: 1 finding\n$/);
    expect(code).toBe(1);
  });

  test('says in JSON what it checked and found', async () => {
    const folder = project(['template.yaml', 'IndexName: GSI3', 'IndexName: GSI9']);
    const { stdout } = await check(folder, '--no-types', '--json');

    expect(JSON.parse(stdout).summary).toEqual({
      checked: { rules: 11, kinds: 11, template: true, types: false },
      findings: [
        {
          ...{ about: 'template', subject: 'template.yaml' },
          message: expect.stringContaining('found another: run `npx denorm template`'),
        },
      ],
    });
  });
});

describe('the types of a project', () => {
  const tsconfig = JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2024', module: 'nodenext', strict: true, allowImportingTsExtensions: true },
      ...{ noEmit: true, skipLibCheck: true, types: [], customConditions: ['stream-denormalizer-source'] },
    },
    include: ['rules/order-date-on-items.ts'],
  });

  test('are checked by its own compiler, with file and line', async () => {
    const folder = project([rule, '`SALE#${root.CreatedAt}`', '`SALE#${root.Total}`']);
    writeFileSync(join(folder, 'tsconfig.json'), tsconfig);
    symlinkSync(
      join(repository, 'node_modules/typescript'),
      join(folder, 'node_modules/typescript'),
      'junction',
    );

    const { code, stdout } = await check(folder, '--json');

    const { findings } = JSON.parse(stdout).summary;
    expect(findings).toContainEqual({
      about: 'types',
      subject: expect.stringMatching(/^rules\/order-date-on-items\.ts:\d+$/),
      message: expect.stringMatching(/^TS2339: Property 'Total' does not exist on type/),
    });
    expect(code).toBe(1);
  }, 60_000);

  test('are not checked if the compiler itself fails, and it says why', async () => {
    const folder = project([rule, '`SALE#${root.CreatedAt}`', '`SALE#${root.Total}`']);
    writeFileSync(join(folder, 'tsconfig.json'), tsconfig);
    const compiler = join(folder, 'node_modules/typescript');
    mkdirSync(join(compiler, 'bin'), { recursive: true });
    mkdirSync(join(compiler, 'lib'), { recursive: true });
    writeFileSync(join(compiler, 'package.json'), '{"name":"typescript","bin":{"tsc":"bin/tsc"}}');
    for (const file of ['bin/tsc', 'lib/tsc.js'])
      writeFileSync(join(compiler, file), "console.error('\\nno memory left');process.exit(134)");

    expect(await check(folder)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('but it failed (no memory left): run `npx tsc --noEmit`'),
    });
  }, 60_000);

  test('are not checked without typescript or tsconfig.json, and it says what to install', async () => {
    const folder = project();
    const without = await check(folder);
    writeFileSync(join(folder, 'tsconfig.json'), tsconfig);
    const uninstalled = await check(folder);

    expect(without.stdout).toContain('Expected a tsconfig.json beside denorm.config.ts, found none: add one');
    expect(uninstalled.stdout).toContain('run `npm install --save-dev typescript @types/node`');
    expect([without.code, uninstalled.code]).toEqual([1, 1]);
  });
});

describe('with a table', () => {
  test('finds items whose type contradicts their key, and kinds without items', async () => {
    const { name, at } = await tables.newTable([user, { ...membership, Type: 'member' }]);
    const { code, stdout } = await check(project(), '--no-types', ...at);

    expect(stdout).toContain(
      `Expected items with keys of Membership to have the Type 'Membership', found 1 with 'member', such as {"PK":"SERVER#1","SK":"USER#1"}`,
    );
    expect(stdout).toContain('found none, so that incident-on-participations may match nothing');
    expect(stdout).toMatch(new RegExp(`, 2 items of table ${name}: \\d+ findings\n$`));
    expect(code).toBe(1);
  });

  test('counts items of kinds and of none, which are findings only with --strict', async () => {
    const log = { PK: 'LOG#1', SK: 'secret', Type: 'Log', Text: 'secret too' };
    const { name, at } = await tables.newTable([user, membership, log]);
    const { code, stdout } = await check(project(), '--no-types', ...at, '--items', 'all');
    const json = JSON.parse(
      (await check(project(), '--no-types', ...at, '--strict', '--json')).stdout,
    ).summary;

    expect(stdout).toMatch(/\ntable {2}3 items: (.*, )?1 User, 1 Membership, .*1 of no kind\n/);
    expect(stdout).toContain(
      `\ntable  no kind  1 with keys like LOG#… / … and Type 'Log', such as {"PK":"LOG#1","SK":"secret"}\n`,
    );
    expect(stdout).not.toContain('Expected each item to be of a kind');
    expect(stdout).toMatch(new RegExp(`, 3 items of table ${name}: \\d+ findings?\n$`));
    expect(code).toBe(1);
    expect(json.findings).toContainEqual({
      ...{ about: 'table', subject: 'no kind' },
      message: expect.stringContaining('Expected each item to be of a kind, found 1 of none'),
    });
    expect(json.kinds).toMatchObject({ items: 3, ofNoKind: 1, kinds: { User: 1 } });
  });

  test('says what reading all items costs before it does', async () => {
    const { name, at } = await tables.newTable([user]);
    const { stderr } = await check(project(), '--no-types', ...at, '--items', 'all');

    expect(stderr).toMatch(
      new RegExp(
        `^denorm: reads all of table ${name}, by its last count 1 item: about 1 unit, \\$0\\.0000 on demand in us-east-1`,
      ),
    );
  });

  test('finds that items expire by another attribute than archive rules know', async () => {
    const { name, at, expireBy } = await tables.newTable([user]);
    await expireBy('ttl');
    const { code, stdout } = await check(project(), '--no-types', ...at);

    expect(stdout).toContain(
      `table  TTL  Expected the items of table ${name} to expire by ExpiresAt, found ttl: correct the table`,
    );
    expect(stdout).toContain('\ntable  items expire by ttl\n');
    expect(code).toBe(1);
  });

  test('finds nothing in a TTL that is as archive rules know it, or off, and says which', async () => {
    const { at, expireBy } = await tables.newTable([user]);
    const off = await check(project(), '--no-types', ...at);
    await expireBy('ExpiresAt');
    const on = await check(project(), '--no-types', ...at, '--json');

    expect(off.stdout).toContain('\ntable  TTL is off, so that its attribute was not compared\n');
    expect(off.stdout).not.toContain('to expire by');
    expect(JSON.parse(on.stdout).summary.expiry).toEqual({ attribute: 'ExpiresAt' });
    expect(on.stdout).not.toContain('to expire by');
  });

  test('says that it may not look at the TTL', async () => {
    const { name } = await tables.newTable([user]);
    const endpoint = await denyingProxy(tables.server().endpoint, 'DescribeTimeToLive');
    const at = ['--endpoint', endpoint, '--table', name];
    const { stdout } = await check(project(), '--no-types', ...at);

    expect(stdout).toMatch(/\ntable {2}TTL was not looked at \(DescribeTimeToLive .* was denied: /);
    expect(stdout).toMatch(/, 1 item of table app-\d+: \d+ findings\n$/);
  });

  test('sends no write', async () => {
    const { name, refuseWrites } = await tables.newTable([user]);
    const { at, refused } = await refuseWrites();

    expect((await check(project(), '--no-types', ...at)).stdout).toContain(`, 1 item of table ${name}: `);
    expect(refused).toEqual([]);
  });
});
