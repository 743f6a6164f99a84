import { describe, expect, it } from 'vitest';
import { jsonLines } from '../cli/denorm.ts';
import { application, denorm, stack } from './here.ts';
import { incidentItems } from './items.ts';

describe('the commands on a deployed stack', () => {
  it('find the table by the name of the stack, and backfill one root without a scan', async () => {
    const { root, said, copies } = incidentItems(2);
    await application.put({ ...root, ...said }, ...copies);
    const key = JSON.stringify(root);
    const rule = ['--rule', 'incident-on-participations'];

    const backfilled = await denorm('backfill', '--json', ...rule, '--root', key);

    expect(backfilled.stderr).toBe('');
    expect(jsonLines(backfilled).at(-1)).toMatchObject({
      summary: { table: stack.table, items: 1, propagations: 1, written: 0, unchanged: 2, finished: true },
    });
    expect(backfilled.code).toBe(0);
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
