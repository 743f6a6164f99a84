import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { projectStack, stackText } from '../../src/deploy/stack-template.ts';
import { eventFilter } from '../../src/develop/dev/event-source/event-filter.ts';
import { manyKinds } from '../deploy/configs.ts';
import { newFolder } from '../suites/new-folder.ts';
import { expandedTemplate } from './expanded-template.ts';

const mapping = z.object({
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }),
});
const pattern = z.record(z.string(), z.unknown());

test('SAM gives the mapping of a project of twelve kinds five filters, which pass the records of each kind', async () => {
  const path = join(newFolder(), 'template.yaml');
  writeFileSync(path, stackText(projectStack({ config: manyKinds(12) }), '1.2.3'));
  const { PropagateStream } = (await expandedTemplate(path))();

  const { Filters } = mapping.parse(PropagateStream?.Properties).FilterCriteria;
  const passes = eventFilter(Filters.map(({ Pattern }) => pattern.parse(JSON.parse(Pattern))));

  expect(Filters).toHaveLength(5);
  for (let kind = 0; kind < 12; kind += 1)
    for (const eventName of ['INSERT', 'MODIFY', 'REMOVE'])
      expect(passes(record(eventName, `P${kind}#x`, `S${kind}#y`)), `${eventName} of K${kind}`).toBe(true);
  expect(passes(record('INSERT', 'P0#x', 'other'))).toBe(false);
});

function record(eventName: string, pk: string, sk: string) {
  return { eventName, dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } };
}
