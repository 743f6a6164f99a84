import { expect, test } from 'vitest';
import { table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import { notes } from '../../simulation/notes-rules.ts';

const noteKey = { pk: 'NOTE#1', sk: 'NOTE' };

test('a note that never named an author is left alone, and verify reports what it has of one', async () => {
  const worker = new ModelWorker(notes('clear'));
  const note = itemOf({
    ...{ [table.pk]: 'NOTE#1', [table.sk]: 'NOTE', [table.type]: 'Note' },
    ...{ Text: 'own', AuthorName: 'whoever' },
  });
  worker.table.put(note);

  await worker.rest();

  const { registry } = worker.context;
  const [rule] = registry.rules;
  const candidates =
    rule === undefined ? [] : [{ is: 'copy' as const, rule, copy: { key: noteKey, item: note } }];
  expect(worker.table.read(noteKey)).toEqual(note);
  expect(await lookAt({ registry, table: worker.port, orphans: 'unexplained' }, candidates)).toMatchObject([
    { classification: { is: 'drift', drift: { kind: 'unlinked', copy: noteKey } } },
  ]);
});
