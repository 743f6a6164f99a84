import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlan } from '../../../src/cli/drift/plan.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('a plan is read in the order of its repair: copies that are roots before their own copies', async () => {
  const path = join(newFolder(), 'plan.jsonl');
  const lines = ['voyage-on-bookings', 'name-on-crew', 'brand-on-voyages', 'gone', 'voyage-on-bookings'].map(
    (rule, number) => ({ finding: 'differs', rule, copy: { PK: 'a', SK: String(number) } }),
  );
  const summary = { table: 'app', arn: 'arn', rulesDigest: 'digest' };
  writeFileSync(path, [...lines, { summary }].map((line) => JSON.stringify(line)).join('\n'));
  const work = {
    where: { tableName: 'app' },
    description: { arn: 'arn' },
    registry: cruises(),
    digest: 'digest',
  };

  const { drifts } = await readPlan(path, work as never);

  expect(drifts.map(({ rule, copy }) => `${rule} ${copy.sk}`)).toEqual([
    ...['name-on-crew 1', 'brand-on-voyages 2', 'voyage-on-bookings 0', 'voyage-on-bookings 4', 'gone 3'],
  ]);
});
