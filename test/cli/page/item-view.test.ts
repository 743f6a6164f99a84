import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { itemView } from '../../../src/cli/page/item-view.ts';
import type { Item } from '../../../src/model/item.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';

test('the view of a root with more copies than are read says so', async () => {
  const registry = application.registry();
  const key = { pk: 'USER#1', sk: '#METADATA' };
  const copies = (count: number) =>
    Array.from({ length: count }, (_, at): Item => {
      const server = { S: `SERVER#${at}` };
      return {
        ...{ PK: server, SK: { S: 'USER#1' }, Type: { S: 'Membership' }, username: { S: 'Ada' } },
        ...{ userId: { S: '1' }, GSI1PK: { S: 'USER#1' }, GSI1SK: server },
      };
    });
  const user = { PK: { S: key.pk }, SK: { S: key.sk }, Type: { S: 'User' }, userId: { S: '1' } };
  const viewed = async (count: number) => {
    const root = { ...user, username: { S: 'Ada' } };
    const table = portOf(registry.table, [root, ...copies(count)]);
    const source = { registry, table, settings: defaultSettings, archive: undefined };
    const { item, explanation } = await itemView(source, key);
    expect(item).toEqual(root);
    return explanation.rounds[0]?.work.flatMap(({ found, notFollowed }) => [found.unchanged, notFollowed]);
  };
  const pages = defaultSettings.pageLimit;

  expect(await viewed(4 * pages - 1)).toEqual([4 * pages - 1, 0]);
  expect(await viewed(4 * pages + 1)).toEqual([4 * pages, 1]);
  expect(await viewed(3)).toEqual([3, 0]);
});
