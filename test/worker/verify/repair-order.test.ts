import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count, max } from '../../../src/model/rules/reducers.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { repairPasses } from '../../../src/worker/verify/repair-order.ts';
import { driftIn, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { ByOwner, ByState } from '../../fixtures/model/table.ts';
import { anIncident, aParticipation, aTeam } from '../../fixtures/world/items.ts';
import { taggedPost, titleOnTags } from '../../fixtures/world/posts.ts';
import { world } from '../../fixtures/world/rules.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { registryOf } from '../../fixtures/world/world.ts';

/** Names of each pass. */
function passesOf(rules: readonly Rule[], aggregates: readonly Aggregate[] = []): string[][] {
  return namesOf(registryOf(...rules, ...aggregates));
}

function namesOf(registry: Registry): string[][] {
  return repairPasses(registry).map((pass) => [...pass.rules, ...pass.aggregates].map(({ name }) => name));
}

const attributes = z.object({
  ...{ Name: z.string(), Items: z.number().optional(), Label: z.string().optional() },
  Title: z.string().optional(),
  ...{ [ByOwner.pk]: z.string(), [ByOwner.sk]: z.string(), [ByState.sk]: z.string() },
});
const box = defineKind({ name: 'Box', type: 'Box', pk: 'BOX#{box}', sk: 'BOX', attributes });
const thing = defineKind({ name: 'Thing', type: 'Thing', pk: 'BOX#{box}', sk: 'THING#{thing}', attributes });
const tag = defineKind({ name: 'Tag', type: 'Tag', pk: 'BOX#{box}', sk: 'TAG#{thing}', attributes });

const keep = { onDelete: 'keep', onExpire: 'keep' } as const;

const thingsOfBox = defineAggregate({
  ...{ name: 'things-of-box', of: thing, on: box },
  members: { in: 'partition', at: ({ ids }) => ({ pk: box.pk(ids), begins: 'THING#' }) },
  targetsOf: ({ ids }) => [box.key(ids)],
  computes: { Items: count() },
});

const labelOfBox = defineRule({
  ...{ name: 'label-of-box', root: box, copy: box, located: { in: 'itself' }, ...keep },
  reads: { root: ['Name', 'Items'] },
  derive: { Label: ({ root }) => `${root.Name} (${root.Items ?? 0})` },
});

const tagOnThings = defineRule({
  ...{ name: 'tag-on-things', root: tag, copy: thing, ...keep },
  located: { in: 'partition', at: ({ ids }) => ({ pk: thing.pk(ids), begins: 'THING#' }) },
  rootOf: ({ ids }) => tag.key(ids),
  copies: ['Name'],
});

const boxOnTags = defineRule({
  ...{ name: 'box-on-tags', root: box, copy: tag, ...keep },
  located: { in: 'partition', at: ({ ids }) => ({ pk: tag.pk(ids), begins: 'TAG#' }) },
  rootOf: ({ ids }) => box.key(ids),
  copies: ['Label'],
});

describe('the order of a repair', () => {
  test('makes the items that others count, before they are counted', () => {
    const thingsMade = defineAggregate({
      ...{ name: 'things-made', of: tag, on: thing, creates: true, onEmpty: 'keep' },
      members: { in: 'partition', at: ({ ids }) => ({ pk: tag.pk(ids), begins: 'TAG#' }) },
      targetsOf: ({ ids }) => [thing.key(ids)],
      computes: { Label: max('Title') },
    });
    const boxed = { ...thingsOfBox, computes: { Items: count() } };

    expect(
      repairPasses({ rules: [], aggregates: [boxed, thingsMade].map((one) => bound(one)) }).map(
        ({ aggregates }) => aggregates.map(({ name }) => name),
      ),
    ).toEqual([['things-made'], ['things-of-box']]);
  });

  test('is that in which rules and aggregates read what others write', () => {
    expect(passesOf([boxOnTags, labelOfBox], [thingsOfBox])).toEqual([
      ['things-of-box'],
      ['label-of-box'],
      ['box-on-tags'],
    ]);
  });

  test('is one pass for rules that do not depend on each other', () => {
    expect(namesOf(world())).toEqual([
      world()
        .rules.map(({ name }) => name)
        .filter((name) => name !== 'incident-on-participations'),
      ['incident-on-participations'],
    ]);
  });

  test('puts what a rule creates before the rules that need it', () => {
    const tagCount = defineAggregate({
      ...{ name: 'tag-count', of: taggedPost, on: box },
      members: { in: 'partition', at: ({ ids }) => ({ pk: `TAG#${ids.box}` }) },
      targetsOf: ({ ids }) => [box.key({ box: ids.tag })],
      computes: { Items: count() },
    });
    const keys = defineRule({
      ...{ name: 'owner-of-thing', root: thing, copy: thing, located: { in: 'itself' }, ...keep },
      reads: { root: ['Name'] },
      derive: { [ByOwner.pk]: ({ root }) => `OWNER#${root.Name}` },
    });
    const byIndex = defineRule({
      ...{ name: 'name-by-owner', root: box, copy: thing, ...keep },
      located: { in: 'index', index: ByOwner, at: ({ ids }) => ({ pk: `OWNER#${ids.box}` }) },
      rootOf: ({ ids }) => box.key(ids),
      copies: ['Label'],
    });

    const tagRules = registryOf(titleOnTags).rules;
    expect(passesOf(tagRules, [tagCount])).toEqual([['title-on-tags'], ['tag-count']]);
    expect(passesOf(tagRules, [thingsOfBox])).toEqual([['title-on-tags', 'things-of-box']]);
    expect(passesOf([byIndex, keys])).toEqual([['owner-of-thing'], ['name-by-owner']]);
  });

  test('is one pass for rules that feed each other different attributes', () => {
    const nameOnThings = defineRule({
      ...{ name: 'name-on-things', root: box, copy: thing, ...keep },
      located: { in: 'partition', at: ({ ids }) => ({ pk: thing.pk(ids), begins: 'THING#' }) },
      rootOf: ({ ids }) => box.key(ids),
      copies: ['Items', 'Name'],
    });
    const items = { ...thingsOfBox, reads: { member: ['Name'], target: [] } };

    expect(passesOf([nameOnThings, boxOnTags], [items])).toEqual([
      ['box-on-tags'],
      ['name-on-things', 'things-of-box'],
    ]);
  });

  const allOnTags = { ...boxOnTags, name: 'all-on-tags', copies: 'all' } as const;
  const onThings = (copies: Rule['copies']) => ({ ...tagOnThings, copies });
  const inTwo = [['all-on-tags'], ['tag-on-things']];
  const inOne = [['tag-on-things', 'all-on-tags']];
  test.each<[string, Rule, Rule, string[][]]>([
    ['and another copies one of them', allOnTags, onThings(['Name']), inTwo],
    ['and another copies all', allOnTags, onThings('all'), inTwo],
    ['but what another copies', { ...allOnTags, own: ['Label'] }, onThings(['Label']), inOne],
  ])('is known where a rule copies all, %s', (_, writer, reader, expected) => {
    expect(passesOf([reader, writer])).toEqual(expected);
  });

  const nameAsLabel = defineRule({
    ...{ name: 'name-as-label', root: box, copy: box, located: { in: 'itself' }, ...keep },
    reads: { root: ['Name'] },
    derive: { Label: ({ root }) => root.Name },
  });
  const ofTarget = { member: [], target: ['Label'] };
  const totals = 'things-of-box';
  const together = [['name-as-label', totals]];
  const inOrder = [['name-as-label'], [totals]];
  const renamed = { Label: 'Name', Title: 'Label' };
  const feedingItself = {
    ...boxOnTags,
    name: 'name-as-label',
    copy: box,
    copies: ['Label', 'Title'],
    renamed,
  };
  test.each<[string, Rule, Aggregate['reads'], string[][]]>([
    ['reads of its target', nameAsLabel, ofTarget, inOrder],
    ['reads of its target, also from a rule that feeds itself', feedingItself, ofTarget, inOrder],
    ['does not read', nameAsLabel, { member: [], target: ['Name'] }, together],
    ['reads of its members, not of its target', nameAsLabel, { member: ['Label'], target: [] }, together],
    ['reads of its target, not of its members', onThings(['Label']), ofTarget, [['tag-on-things', totals]]],
  ])('puts first what an aggregate reads, where it reads it: %s', (_, rule, reads, expected) => {
    expect(passesOf([rule], [{ ...thingsOfBox, reads }])).toEqual(expected);
  });
});

describe('a repair of copies of copies, without a worker', () => {
  const wrong = [
    aTeam(),
    anIncident({ TeamName: 'Search' }),
    aParticipation('ann', { TeamName: 'Search' }),
    aParticipation('bob', { TeamName: 'Payments' }),
    aParticipation('eve', { TeamName: 'neither' }),
  ];
  const mended = ['Payments', 'Payments', 'Payments'];

  test.each([
    ['', Number.POSITIVE_INFINITY, 1],
    [', however often it is stopped', 12, 3],
  ])('leaves none wrong, and copies no wrong value on%s', async (_, questions, leastRuns) => {
    const search = new WorldSearch(wrong);
    const before = search.table.history.length;
    let state = verifyFrom(wholeTable(2), search.registry);
    let runs = 0;
    do {
      let asked = 0;
      state = await repaired(search, structuredClone(state), () => {
        asked += 1;
        return asked > questions;
      });
      runs += 1;
    } while (runs < 50 && !(isFinished(state.point) && state.suspectedDrifts.length === 0));

    expect(runs).toBeGreaterThanOrEqual(leastRuns);
    expect(brandsWritten(search, before)).toEqual(mended);
    expect(search.table.read(keyIn(aParticipation('bob')))).toEqual(
      aParticipation('bob', { TeamName: 'Payments' }),
    );
    expect(driftIn(state)).toBe(3);
    search.found.length = 0;
    await search.run();
    expect(search.lines()).toEqual([]);
  });
});

/** Searches and repairs as the command does. */
async function repaired(
  search: WorldSearch,
  from = verifyFrom(wholeTable(2), search.registry),
  stop = () => false,
) {
  const propagations = search.propagations({ stop });
  return search.run(
    {
      ...{ stop, passes: repairPasses(search.registry) },
      onDrift: async (found) => (await propagations.repair(found)).postponed,
    },
    from,
  );
}

function brandsWritten(search: WorldSearch, since: number): unknown[] {
  return search.table.history.slice(since).map(({ after }) => {
    const teamName = after?.['TeamName'];
    return teamName !== undefined && 'S' in teamName ? teamName.S : undefined;
  });
}
