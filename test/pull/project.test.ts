import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApplicationItem } from '../../scripts/demo/application-table.ts';
import { chat, incidents, shop, tenants, votes } from '../fixtures/pull/applications.ts';
import { pulledTable, sourcesOf } from '../fixtures/pull/pulled.ts';

const applications = { chat, incidents, shop, votes, tenants };

async function written(items: readonly ApplicationItem[], table = pulledTable): Promise<string> {
  const { config, table: names, kinds, rules } = await sourcesOf(items, undefined, table);
  return [config, names, kinds, rules].join('\n');
}

describe('the sources of a project', () => {
  test('name the table, the kinds and the rules', async () => {
    const { config, table, counts, hasRepeats } = await sourcesOf(chat());

    expect(counts).toEqual({ kinds: 3, rules: 1, doubtful: 0 });
    expect(hasRepeats).toBe(true);
    expect(config).toContain('  kinds: [membership, user, server],\n  rules: [userOnMembership],\n');
    expect(table).toContain(
      "    GSI1: { name: 'GSI1', pk: 'GSI1PK', sk: 'GSI1SK' },\n  },\n  ttl: 'ExpiresAt',\n  type: 'Type',",
    );
  });

  test('say that nothing is known of copies if nothing is repeated', async () => {
    const { rules, hasRepeats } = await sourcesOf(votes());

    expect(hasRepeats).toBe(false);
    expect(rules).toContain(
      '// No kind repeats an attribute of another in nine of ten items read: whether copies exist is not known.',
    );
  });

  test('call an id after what it equals in its root', async () => {
    const { kinds, rules } = await sourcesOf(shop());

    expect(kinds).toContain("pk: 'USER#{user}',\n  sk: 'ORDER#{createdAt}',");
    expect(rules).toContain('userOrder.key({ user: UserId, createdAt: CreatedAt })');
  });

  test('quote names that are none of code', async () => {
    const table = {
      ...pulledTable,
      indexes: { byOwner: { name: 'by-owner', pk: ['a', 'b'], sk: { name: 'n', type: 'N' } } },
    } as const;

    expect(await written(chat(), table)).toContain(
      "byOwner: {\n      name: 'by-owner',\n      pk: ['a', 'b'],\n      sk: { name: 'n', type: 'N' },\n    },",
    );
  });
});

describe('no value of an attribute is written', () => {
  test.each(Object.entries(applications))('of %s', async (_, make) => {
    const items = make();
    const text = await written(items);
    const kept = new Set(['PK', 'SK', 'Type', 'GSI1PK', 'GSI1SK']);
    const values = items.flatMap((item) => Object.entries(item)).filter(([name]) => !kept.has(name));

    for (const [name, value] of values)
      if (`${value}`.length > 3) expect(text, name).not.toContain(`${value}`);
  });

  test('whatever the values and ids are, in keys and in attributes', async () => {
    // Letters alone are nearest to the words of a key.
    const word = fc.stringMatching(/^[a-z]{9}$/);
    const row = fc.record({ tenant: word, id: word, other: word, title: word, note: word });
    const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: ({ id }) => id });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (some, isTyped) => {
        const items = some.flatMap(({ tenant, id, other, title, note }) => [
          {
            PK: `TENANT#${tenant}#ITEM#${id}`,
            SK: 'ITEM',
            ...(isTyped && { Type: 'Item' }),
            title,
            itemId: id,
          },
          {
            PK: `LIST#${other}`,
            SK: `ITEM#${id}`,
            ...(isTyped && { Type: 'Entry' }),
            title,
            note,
            itemId: id,
            tenantId: tenant,
          },
        ]);
        const text = await written(items);
        for (const value of some.flatMap((one) => Object.values(one))) expect(text).not.toContain(value);
      }),
      { numRuns: 200 },
    );
  });
});
