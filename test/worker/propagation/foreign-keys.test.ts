import { describe, expect, test } from 'vitest';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { jsValue } from '../../../src/model/attribute-value.ts';
import { GSI3, table } from '../../../src/table.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import { notes } from '../../simulation/notes-rules.ts';

const { pk, sk, type } = table;
const authorKey = { pk: 'AUTHOR#ada', sk: 'PROFILE' };
const noteKey = { pk: 'NOTE#1', sk: 'NOTE' };

const author = itemOf({
  ...{ [pk]: 'AUTHOR#ada', [sk]: 'PROFILE', [type]: 'Author' },
  ...{ Name: 'Ada', Labels: new Set(['x', 'y']), Level: 1 },
});

const bare = { [pk]: 'NOTE#1', [sk]: 'NOTE', [type]: 'Note', Text: 'own' };

async function withNote(onUnlink: 'clear' | 'delete' | 'keep', note: Parameters<typeof itemOf>[0] = {}) {
  const worker = new ModelWorker(notes(onUnlink));
  worker.table.put(author);
  await worker.rest();
  worker.table.put(itemOf({ ...bare, AuthorId: 'ada', Rating: 4, ...note }));
  await worker.rest();
  return worker;
}

/** The item with this key, as the document client reads it. */
function seen({ table: items }: ModelWorker, key = noteKey) {
  return Object.entries(items.read(key) ?? {}).reduce<Record<string, unknown>>(
    (all, [name, value]) => Object.assign(all, { [name]: jsValue(value) }),
    {},
  );
}

describe('a note that stops naming its author', () => {
  const copied = ['AuthorName', 'AuthorLabels', 'AuthorCard'];

  test.each<['keep' | 'clear' | 'delete', readonly string[] | undefined]>([
    ['keep', copied],
    ['clear', []],
    ['delete', undefined],
  ])('under onUnlink %s', async (onUnlink, left) => {
    const worker = await withNote(onUnlink);
    worker.table.update(noteKey, { remove: ['AuthorId'] });
    await worker.rest();

    const note = seen(worker);
    expect(worker.table.read(noteKey) && copied.filter((name) => name in note)).toEqual(left);
    expect(note).not.toHaveProperty(GSI3.pk);
    expect(seen(worker, authorKey)).toMatchObject({ Notes: 0 });
  });

  test('keeps all if it names another author by the time it is looked at', async () => {
    const worker = await withNote('delete');
    worker.table.put({ ...author, [pk]: { S: 'AUTHOR#bea' }, Name: { S: 'Bea' } });
    await worker.rest();
    worker.table.update(noteKey, { remove: ['AuthorId'] });
    worker.table.update(noteKey, { set: { AuthorId: { S: 'bea' } } });
    await worker.rest();

    expect(seen(worker)).toMatchObject({ AuthorId: 'bea', AuthorName: 'Bea' });
  });

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
