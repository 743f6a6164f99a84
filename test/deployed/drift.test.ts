import { describe, expect, it } from 'vitest';
import { jsonLines } from '../cli/denorm.ts';
import { application, denorm, stack } from './here.ts';
import { incidentItems } from './items.ts';

describe('the commands on a deployed stack', () => {
  it('find the table by the name of the stack, and verify one root without a scan', async () => {
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said }, ...copies);
    const key = JSON.stringify(root);

    const verified = await denorm('verify', '--json', '--root', key, '--grace', '1');
    const repaired = await denorm('repair', '--json', '--root', key, '--grace', '1');

    expect(verified.stderr).toBe('');
    expect(jsonLines(verified).at(-1)).toMatchObject({
      summary: { table: stack.table, drift: 0, items: 2 },
    });
    expect(jsonLines(repaired).at(-1)).toMatchObject({ summary: { written: 0, finished: true } });
    expect([verified.code, repaired.code]).toEqual([0, 0]);
  });

  it('estimate a backfill of the whole table', async () => {
    const { root, said, copies } = incidentItems(3);
    await application.put({ ...root, ...said }, ...copies);

    const { stdout, stderr } = await denorm(
      'backfill',
      '--json',
      '--rule',
      'incident-on-participations',
      '--dry-run',
    );

    expect(stderr).toBe('');
    expect(jsonLines({ stdout }).at(-1)).toMatchObject({
      summary: { dryRun: true, finished: true },
    });
  });
});
