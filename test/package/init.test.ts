import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startDev } from './dev.ts';
import { outside, shell, succeeds } from './shell.ts';

const { folder, remove } = outside();
afterAll(remove);

/** Makes a project as a user does, with the packages of the blog, which are the same. */
async function made(name: string, options = ''): Promise<string> {
  const project = join(folder, name);
  await succeeds(`npx stream-denormalizer init '${project}' ${options}`, inject('empty'));
  symlinkSync(join(inject('blog'), 'node_modules'), join(project, 'node_modules'));
  return project;
}

describe('a new project', () => {
  let project: string;
  beforeAll(async () => {
    project = await made('my-app', '--table things --pk part --sk sort --ttl gone_at --type kind');
  });

  test('has the files of a project, and a template, and nothing of the samples', () => {
    const files = readdirSync(project, { recursive: true, withFileTypes: true })
      .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(project.length + 1) }))
      .filter(({ entry, path }) => entry.isFile() && !path.startsWith('node_modules'))
      .map(({ path }) => path);
    const texts = files.map((path) => readFileSync(join(project, path), 'utf8')).join('\n');

    expect(files.toSorted()).toEqual([
      ...['.gitignore', 'README.md', 'denorm.config.ts', 'events/README.md'],
      ...['archive', 'fan-out', 'heartbeat', 'propagate', 'sweep', 'verify'].map(
        (name) => `handlers/${name}.ts`,
      ),
      ...[
        'package.json',
        'samconfig.toml',
        'src/items.ts',
        'src/rules/team-name-on-members.ts',
        'src/table.ts',
      ],
      ...['template.yaml', 'test/rules.test.ts', 'tsconfig.json', 'vitest.config.ts'],
    ]);
    expect(texts).not.toMatch(
      /incident|participation|order|shop|chat|membership|StatusShards|'(PK|SK|ExpiresAt|Type)'/i,
    );
    expect(texts).not.toContain('denorm-dev');
  });

  test('passes its tests, its types and its check', async () => {
    expect(await shell('npm test', project)).toMatchObject({ code: 0 });
    expect(await shell('npm run -s types', project)).toMatchObject({ code: 0, stdout: '' });
    expect(await shell('npm run -s check', project)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked .+: 0 findings\n$/),
    });
  });

  test('runs, with its own names', async () => {
    const dev = await startDev(project, 'things', ['part', 'sort']);
    try {
      await dev.put(
        { part: 'TEAM#1', sort: 'MEMBER#1', kind: 'Member', teamName: 'Blue', memberName: 'Ada' },
        { part: 'TEAM#1', sort: 'TEAM', kind: 'Team', teamName: 'Red' },
      );
      await dev.holds({ part: 'TEAM#1', sort: 'MEMBER#1' }, { teamName: 'Red' });
      await dev.put({ part: 'OLD#1', sort: 'OLD', gone_at: Math.floor(Date.now() / 1000) - 1 });
      await dev.isGone({ part: 'OLD#1', sort: 'OLD' });
    } finally {
      expect(await dev.stop()).toBe(0);
    }
  });
});

describe.each([
  ['incidents', ['incident-on-participations', 'archive-incidents']],
  ['chat', ['username-on-memberships']],
  [
    'shop',
    ['order-status-keys', 'order-on-user-order', 'order-date-on-items', 'archive-orders', 'archive-profiles'],
  ],
])('a project with the sample %s', (sample, rules) => {
  test('passes its tests, its types and its check', async () => {
    const project = await made(sample, `--sample ${sample} --pk pk --sk sk --type _type`);

    expect(await shell('npm test', project)).toMatchObject({ code: 0 });
    expect(await shell('npm run -s types', project)).toMatchObject({ code: 0, stdout: '' });
    expect(await shell('npm run -s check', project)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked .+: 0 findings\n$/),
    });
    const { summary: listed } = JSON.parse(await succeeds('npx denorm rules --json', project));
    expect(listed.rules.map((one: { rule: string }) => one.rule).toSorted()).toEqual(rules.toSorted());
    expect(existsSync(join(project, 'src/items.ts'))).toBe(false);
  });
});
