import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { jsonLines, type Ran, run } from '../cli/denorm.ts';
import { applicationOf } from './application.ts';
import { fresh, incidentItems } from './items.ts';
import { clientsOf, environment } from './stack.ts';

const cloud = inject('cloud');
const stack = inject('stack');
const application = applicationOf(clientsOf(cloud), stack.table);
const cwd = mkdtempSync(join(tmpdir(), 'denorm-drift-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The command line as an operator has it. */
function denorm(...args: readonly string[]): Promise<Ran> {
  const at = ['--stack', stack.name, '--endpoint', cloud.endpoint, '--json'];
  return run([...args, ...at], cwd, {
    ...environment(cloud),
    NODE_EXTRA_CA_CERTS: cloud.certificate,
    AWS_ENDPOINT_URL: undefined,
  });
}

describe('the commands on a deployed stack', () => {
  it('find the table by the name of the stack, and verify one root without a scan', async () => {
    const { root, said, copies } = incidentItems(2, fresh());
    await application.put({ ...root, ...said }, ...copies);
    const key = JSON.stringify(root);

    const verified = await denorm('verify', '--root', key, '--grace', '1');
    const repaired = await denorm('repair', '--root', key, '--grace', '1');

    expect(verified.stderr).toBe('');
    expect(jsonLines(verified).at(-1)).toMatchObject({
      summary: { table: stack.table, drift: 0, items: 2 },
    });
    expect(jsonLines(repaired).at(-1)).toMatchObject({ summary: { written: 0, finished: true } });
    expect([verified.code, repaired.code]).toEqual([0, 0]);
  });

  it('estimate a backfill of the whole table', async () => {
    const { root, said, copies } = incidentItems(3, fresh());
    await application.put({ ...root, ...said }, ...copies);

    const { stdout, stderr } = await denorm('backfill', '--rule', 'incident-on-participations', '--dry-run');

    expect(stderr).toBe('');
    expect(jsonLines({ stdout }).at(-1)).toMatchObject({
      summary: { dryRun: true, finished: true },
    });
  });
});
