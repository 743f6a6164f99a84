import { describe, expect, test } from 'vitest';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { jsValue } from '../../../src/model/attribute-value.ts';
import { table } from '../../../src/table.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import { notes } from '../../simulation/notes-rules.ts';

const { pk, sk, type } = table;
const noteKey = { pk: 'NOTE#1', sk: 'NOTE' };

const bare = { [pk]: 'NOTE#1', [sk]: 'NOTE', [type]: 'Note', Text: 'own' };

/** The item with this key, as the document client reads it. */
function seen({ table: items }: ModelWorker, key = noteKey) {
  return Object.entries(items.read(key) ?? {}).reduce<Record<string, unknown>>(
    (all, [name, value]) => Object.assign(all, { [name]: jsValue(value) }),
    {},
  );
}

describe('a note that stops naming its author', () => {
  test('is left alone if it never named one, and verify reports what it has', async () => {
    const worker = new ModelWorker(notes('clear'));
    worker.table.put(itemOf({ ...bare, AuthorName: 'whoever' }));
    await worker.rest();
    const [rule] = worker.context.registry.rules;
    const copy = worker.table.read(noteKey);
    const candidates = rule && copy ? [{ rule, copy }] : [];
    const context = {
      registry: worker.context.registry,
      table: worker.port,
      orphans: 'unexplained',
    } as const;

    expect(seen(worker)).toMatchObject({ AuthorName: 'whoever' });
    expect(await lookAt(context, candidates)).toMatchObject([
      { classification: { is: 'drift', drift: { kind: 'unlinked', copy: noteKey } } },
    ]);
  });
});
