import type { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { type Item, keyText } from '../../src/model/item.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';
import { aPost, aTagged, posts, titleOnTags } from '../fixtures/posts/posts.ts';
import { each, type Scene } from './scene.ts';

/** What happens while a worker creates copies, and what somebody does at the moment when it stops. */
export interface CreationScene extends Scene {
  readonly atCrash?: Pick<Scene, 'change' | 'after'>;
}

export const creationRegistry = posts(titleOnTags);

const post = keyIn(aPost([]));

function tags(copies: number, from = 0): string[] {
  return each(copies, (index) => `t${from + index}`);
}

/** A post with its copies. */
function whole(some: readonly string[], title = 'one'): Item[] {
  return [aPost(some, title), ...some.map((tag) => aTagged(tag, title))];
}

function publish(copies: number) {
  return (table: ModelTable) => table.put(aPost(tags(copies)));
}

export const creationScenes: Readonly<Record<string, (copies: number) => CreationScene>> = {
  'a post is published': (copies) => ({
    before: [],
    change: publish(copies),
    after: whole(tags(copies)),
  }),
  'a post is published, and deleted when the worker stops': (copies) => ({
    before: [],
    change: publish(copies),
    after: whole(tags(copies)),
    atCrash: { change: (table) => table.delete(post), after: [] },
  }),
  'a post is published, and gets other tags when the worker stops': (copies) => ({
    before: [],
    change: publish(copies),
    after: whole(tags(copies)),
    atCrash: {
      change: (table) => table.put(aPost(tags(copies, 1), 'two')),
      after: whole(tags(copies, 1), 'two'),
    },
  }),
  'a post gets other tags': (copies) => ({
    before: whole(tags(copies)),
    change: (table) => table.put(aPost(tags(copies, copies), 'two')),
    after: whole(tags(copies, copies), 'two'),
  }),
  'a post loses its tags, and is deleted when the worker stops': (copies) => ({
    before: whole(tags(copies)),
    change: (table) => table.put(aPost([])),
    after: whole([]),
    atCrash: { change: (table) => table.delete(post), after: [] },
  }),
  'a post is deleted, and put again with other tags': (copies) => ({
    before: whole(tags(copies)),
    change(table) {
      table.delete(post);
      table.put(aPost(tags(copies, 1), 'two'));
    },
    after: whole(tags(copies, 1), 'two'),
  }),
  'copies are deleted by hand, and the post when the worker stops': (copies) => ({
    before: whole(tags(copies)),
    change: (table) => each(copies, (index) => table.delete(keyIn(aTagged(`t${index}`)))),
    after: whole(tags(copies)),
    atCrash: { change: (table) => table.delete(post), after: [] },
  }),
};

/** Copies that the worker made for a post that was gone, or that did not list their key. */
export function madeWithoutRoot({ history }: ModelTable): string[] {
  let root: Item | undefined;
  return history.flatMap(({ key, before, after, by }) => {
    if (keyText(key) === keyText(post)) root = after;
    if (by !== 'worker' || before !== undefined) return [];
    const { Tags } = root ?? {};
    const listed = Tags !== undefined && 'L' in Tags ? Tags.L : [];
    const isListed = listed.some((tag) => 'S' in tag && `TAG#${tag.S}` === key.pk);
    return isListed ? [] : [`${keyText(key)} was made without its root`];
  });
}
