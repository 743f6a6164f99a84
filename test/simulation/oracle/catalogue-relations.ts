import type { Relation } from '../../../src/develop/testing/simulation/oracle/relation.ts';
import type { World } from '../../../src/develop/testing/simulation/world/world.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import { pkOf, skOf, textOf } from './attributes.ts';

/** The most tags that the data model allows. */
const maxTags = 100;

/** A post's tags; undefined where it has no list of them, or too many. */
function tagsOf({ Tags }: Item): readonly string[] | undefined {
  if (Tags === undefined || !('L' in Tags)) return undefined;
  const tags = [...new Set(Tags.L.flatMap((tag) => ('S' in tag ? [tag.S] : [])))];
  return tags.length > maxTags ? undefined : tags;
}

function isHidden({ Hidden }: Item): boolean {
  return Hidden !== undefined && 'BOOL' in Hidden && Hidden.BOOL;
}

/** Undefined where the post does not say where its copies are: hidden or not, those that it had are to go. */
function isListed(root: Item, copy: Item): boolean | undefined {
  return tagsOf(root)?.some((tag) => pkOf(copy) === `TAG#${tag}` && skOf(copy) === pkOf(root));
}

/** A post stands below each of its tags, unless it is hidden. */
const tags: Relation = {
  rule: 'post-on-tags',
  onDelete: 'delete',
  onExpire: 'delete',
  isRoot: ({ pk, sk }) => pk.startsWith('POST#') && sk === 'POST',
  isCopy: (item) => pkOf(item).startsWith('TAG#') && textOf(item, 'Type') === 'TaggedPost',
  crosses: () => false,
  rootOf: (copy) => ({ pk: skOf(copy), sk: 'POST' }),
  locations: (root, copy) => isListed(root, copy) && !isHidden(root),
  isExcluded: isHidden,
  excludes: (root, copy) => isHidden(root) && isListed(root, copy) === true,
  placed: (root) =>
    isHidden(root) ? [] : (tagsOf(root) ?? []).map((tag) => ({ pk: `TAG#${tag}`, sk: pkOf(root) })),
  wanted: (root, copy) =>
    new Map([
      ['Title', root.Title],
      ['Tag', { S: pkOf(copy).slice('TAG#'.length) }],
    ]),
  writes: (attribute) => attribute === 'Title' || attribute === 'Tag',
  concerns: (attribute) => attribute === 'Title' || attribute === 'Tag',
};

/** A member stands at the address of its email. */
const addresses: Relation = {
  rule: 'member-on-address',
  onDelete: 'delete',
  onExpire: 'delete',
  isRoot: ({ pk }) => pk.startsWith('MEMBER#'),
  isCopy: (item) => pkOf(item).startsWith('ADDRESS#') && textOf(item, 'Type') === 'Address',
  crosses: () => false,
  rootOf(copy) {
    const member = textOf(copy, 'MemberId');
    return member === undefined ? undefined : { pk: `MEMBER#${member}`, sk: 'MEMBER' };
  },
  locations: (root, copy) => pkOf(copy) === `ADDRESS#${textOf(root, 'Email')}`,
  placed: (root) => [{ pk: `ADDRESS#${textOf(root, 'Email')}`, sk: 'ADDRESS' }],
  wanted: (root) =>
    new Map([
      ['Name', root.Name],
      ['MemberId', { S: pkOf(root).slice('MEMBER#'.length) }],
    ]),
  writes: (attribute) => attribute === 'Name' || attribute === 'MemberId',
  concerns: (attribute) => attribute === 'Name' || attribute === 'MemberId',
};

export const catalogueRelations: readonly Relation[] = [tags, addresses];

/**
 * Checks that copies are only at keys that living roots name (invariant 1); that each such key has its copy is judged of every
 * relation. Excepted are the copies of a root that once did not say where they are: its dead letter waits for a person.
 */
export function judgeKeys({ table, judge, verdict }: World): void {
  for (const item of table.items())
    for (const relation of catalogueRelations) {
      if (!relation.isCopy(item)) continue;
      const named = relation.rootOf(item);
      if (named === undefined || wasUnclear(relation, judge, named)) continue;
      const root = table.read(named);
      if (root === undefined || relation.locations(root, item) !== true)
        verdict.violated(1, 'a copy is at a key that no living root names', `${pkOf(item)} ${skOf(item)}`);
    }
}

function wasUnclear(relation: Relation, { lives }: World['judge'], root: ItemKey): boolean {
  return lives
    .of(root)
    .some(({ item }) => item !== undefined && relation.locations(item, item) === undefined);
}
