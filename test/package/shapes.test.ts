import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { deployProject } from './deploy-project.ts';
import { type Dev, startDev } from './dev.ts';
import { outside, shell, succeeds } from './shell.ts';

const { folder, remove } = outside();
afterAll(remove);

/** A project of `shapes/`, or one that `init` makes, with the packages of the blog. */
async function made(name: string, options = ''): Promise<string> {
  const project = join(folder, name);
  await succeeds(`npx stream-denormalizer init '${project}' --table ${name} ${options}`, inject('empty'));
  symlinkSync(join(inject('blog'), 'node_modules'), join(project, 'node_modules'));
  if (options !== '') return project;
  for (const part of ['src', 'test']) rmSync(join(project, part), { recursive: true });
  cpSync(fileURLToPath(new URL(`shapes/${name}`, import.meta.url)), project, { recursive: true });
  await succeeds('npx denorm template', project);
  return project;
}

async function whileItRuns(project: string, name: string, keys: string[], run: (dev: Dev) => Promise<void>) {
  const dev = await startDev(project, name, keys);
  try {
    await run(dev);
  } finally {
    expect(await dev.stop()).toBe(0);
  }
}

async function verified(project: string, { endpoint }: Dev) {
  const verify = `npx denorm verify --stage dev --endpoint ${endpoint} --json`;
  const { code, stdout } = await shell(verify, project);
  return { code, ...JSON.parse(stdout.trim().split('\n').at(-1) ?? '').summary };
}

describe.each([
  ['numeric', '--sk-type N'],
  ['single', '--no-sk'],
])('a new project with a sort key that is %s', (name, options) => {
  test('passes its tests, its types, its check and its simulation', async () => {
    const project = await made(name, options);

    expect(await shell('npm test', project)).toMatchObject({ code: 0 });
    expect(await shell('npm run -s types', project)).toMatchObject({ code: 0, stdout: '' });
    expect(await shell('npm run -s check', project)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked .+: 0 findings\n$/),
    });
    expect(await shell('npx denorm simulate --seeds 20', project)).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining('every promise kept') },
    });
  });
});

describe('a table with a numeric sort key', () => {
  test('has 600 copies and a sum of them, and keys of 38 digits', async () => {
    const project = await made('readings');
    await whileItRuns(project, 'readings', ['device', 'at'], async (dev) => {
      const longest = 99_999_999_999_999_999_999_999_999_999_999_999_999n;
      const times = [
        ...Array.from({ length: 599 }, (_, n) => 1_764_028_800_000_000_000n + BigInt(n)),
        longest,
      ];
      await dev.putMany(times.map((at, n) => ({ device: 'READINGS#1', at, celsius: n / 10 })));
      await dev.put({ device: 'DEVICE#1', at: 0, name: 'Attic' });

      for (const at of [times[0], times[300], longest])
        await dev.holds({ device: 'READINGS#1', at }, { deviceName: 'Attic' });
      await dev.holds({ device: 'DEVICE#1', at: 0 }, { readings: 600, warmest: 59.9 });
      await dev.put({ device: 'DEVICE#1', at: 0, name: 'Cellar', readings: 3 });
      await dev.holds({ device: 'READINGS#1', at: longest }, { deviceName: 'Cellar' });
      await dev.holds({ device: 'DEVICE#1', at: 0 }, { readings: 600 });

      expect(await verified(project, dev)).toMatchObject({ code: 0, items: 601, drift: 0 });
      const stage = `--stage dev --endpoint ${dev.endpoint}`;
      const explained = await succeeds(
        `npx denorm explain '{"device":"READINGS#1","at":${longest}}' ${stage}`,
        project,
      );
      expect(explained).toContain(`{"device":"READINGS#1","at":${longest}}, Reading`);
    });
  });
});

describe('a table without sort keys', () => {
  test('has its copies found by an index, its archive, and its removals', async () => {
    const project = await made('devices');
    await whileItRuns(project, 'devices', ['id'], async (dev) => {
      const devices = Array.from({ length: 30 }, (_, n) => ({ id: `DEVICE#${n}`, ownerId: 'ada' }));
      await dev.putMany(devices);
      await dev.put({ id: 'DEVICE#bob', ownerId: 'bob' }, { id: 'OWNER#ada', name: 'Ada' });
      for (const device of devices) await dev.holds(device, { ownerName: 'Ada' });

      const expired = { id: 'DEVICE#a/b', ownerId: 'bob', expires: Math.floor(Date.now() / 1000) - 1 };
      await dev.put(expired);
      await dev.isGone(expired);
      const shown = await succeeds(
        `npx denorm archive show '{"id":"DEVICE#a/b"}' --endpoint ${dev.endpoint}`,
        project,
      );
      expect(shown).toContain('"bob"');

      await dev.delete({ id: 'OWNER#ada' });
      for (const device of devices) await dev.isGone(device);
      expect(await verified(project, dev)).toMatchObject({
        ...{ code: 1, items: 1, drift: 0 },
        lookedAtNothing: [{ kind: 'Owner' }],
      });
    });
  });
});

describe('an index of four attributes', () => {
  test('is queried by a stack, for which denorm dev says that it cannot', async () => {
    const project = await made('regions');
    await whileItRuns(project, 'regions', ['pk', 'sk'], async (dev) =>
      expect(dev.stderr()).toContain(
        'manager-on-orders cannot run here, because the embedded server answers no query of an index of several attributes',
      ),
    );
    const { table, close } = await deployProject(project, 'regions-dev');
    const order = { sk: 'ORDER', tenant: 't', region: 'eu', createdAt: 1_764_028_800 };
    const open = { ...order, pk: 'ORDER#1', status: 'open' };
    const closed = { ...order, pk: 'ORDER#2', status: 'closed' };
    const elsewhere = { ...order, pk: 'ORDER#3', status: 'open', region: 'us' };

    await table.put({ pk: 'TENANT#t', sk: 'REGION#eu', manager: 'Ada' }, open, closed, elsewhere);
    await table.holds(open, { manager: 'Ada' }, 120_000);
    await table.put({ pk: 'TENANT#t', sk: 'REGION#eu', manager: 'Bob' });
    await table.holds(open, { manager: 'Bob' }, 120_000);

    expect((await table.get(elsewhere))?.['manager']).toBeUndefined();
    close();
  }, 600_000);
});
