import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { explanationText } from '../../../src/cli/explain/text.ts';
import { describe as described } from '../../../src/explain/description.ts';
import { explainEvent, explainItem } from '../../../src/explain/explain.ts';
import type { Explanation } from '../../../src/explain/explanation.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { table } from '../../fixtures/model/table.ts';
import { aPost, aTagged, titleOnTags } from '../../fixtures/world/posts.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { registryOf } from '../../fixtures/world/world.ts';

/** A post with two tags, of which the second has no copy. */
const post = aPost(['a', 'b']);
const options = {
  ...{ registry: registryOf(titleOnTags), settings: defaultSettings },
  table: portOf(table, [post, aTagged('a')]),
};

async function textOf(explanation: Promise<Explanation>): Promise<string> {
  return stripVTControlCharacters(explanationText(table, await explanation));
}

const creation =
  /create +set Kind, Part, Sort, Title, if no item has its key, and its root still exists and Kind, Tags, Title are as read\n +\{"Part":"TAG#b","Sort":"POST#1"\}/;

describe('denorm explain, of a rule that lists keys and creates', () => {
  test('shows the keys of a root, and the copy that would be created', async () => {
    const text = await textOf(explainItem(options, keyIn(post)));

    expect(text).toContain('the keys {"Part":"TAG#a","Sort":"POST#1"}, {"Part":"TAG#b","Sort":"POST#1"}');
    expect(text).toMatch(/1 to write, 1 already right/);
    expect(text).toMatch(creation);
  });

  test('says how many messages continue what one delivery does not end', async () => {
    const settings = { ...defaultSettings, pageLimit: 1 };
    const text = await textOf(explainItem({ ...options, settings }, keyIn(post)));

    expect(text).toMatch(/costs .* write units?, with 1 message more/);
  });

  test('says of a key without an item whether a copy is created there, and for which root', async () => {
    const explained = (tag: string) => textOf(explainItem(options, { pk: `TAG#${tag}`, sk: 'POST#1' }));

    const [placed, unplaced] = [await explained('b'), await explained('z')];

    const role = 'title-on-tags  copy of {"Part":"POST#1","Sort":"POST"}, is checked:';
    expect(placed).toContain('missing item {"Part":"TAG#b","Sort":"POST#1"}, TaggedPost\n');
    expect(placed).toContain(`${role} its root places a copy here: it is created`);
    expect(placed).toMatch(creation);
    expect(unplaced).toContain(`${role} its root places no copy here: never written`);
    expect(unplaced).not.toContain('create ');
  });

  test('says that a removed copy is checked, and created again', async () => {
    const before = aTagged('b');
    const change = {
      key: keyIn(before),
      before,
      after: undefined,
      sequence: 1n,
      expired: false,
      at: undefined,
    };

    const text = await textOf(explainEvent(options, [{ change }]));

    expect(text).toContain(
      'is checked: it is gone, or names this root no longer: it is created again if the root still places it here',
    );
    expect(text).toMatch(creation);
  });
});

describe('denorm explain, of a copy, says what its check finds', () => {
  const items = [aPost(['here', 'wrong']), aTagged('here'), aTagged('wrong', 'zero'), aTagged('gone')];

  test.each([
    ['here', 'right: it is what the rule says', items],
    ['wrong', 'wrong: Title not what the rule says', items],
    ['gone', 'foreign: its root places no copy here: never written', items],
    ['here', 'orphan: no root is at the key that it names: an orphan, left alone', [aTagged('here')]],
  ])('at the tag %s: %s', async (tag, says, stored) => {
    const explaining = { ...options, table: portOf(table, stored) };
    const { subjects } = await explainItem(explaining, { pk: `TAG#${tag}`, sk: 'POST#1' });

    expect(subjects[0]?.rules.map(({ because, why }) => `${because}: ${why}`)).toEqual([says]);
  });

  test('whose root is excluded: it goes', async () => {
    const excluding = { ...titleOnTags, when: { root: () => false }, onDelete: 'delete' } as const;
    const explaining = { ...options, registry: registryOf(excluding) };
    const { subjects, rounds } = await explainItem(explaining, { pk: 'TAG#a', sk: 'POST#1' });

    expect(subjects[0]?.rules).toMatchObject([
      { because: 'withdrawn', why: 'when is false for its root; it is deleted' },
    ]);
    expect(rounds[0]?.work.flatMap(({ writes }) => writes)).toMatchObject([{ does: 'delete' }]);
  });
});

test('denorm rules says which keys a rule lists, and that it creates copies', () => {
  const { fields } = described(titleOnTags);

  expect(fields).toMatchObject({
    located: ['in the keys at TAG#{each of Tags} / POST#{post}'],
    creates: ['true'],
  });
});
