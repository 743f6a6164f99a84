import { stackModel } from '../../../src/deploy/stack-model.ts';
import { type StackSettings, stackSettings } from '../../../src/deploy/stack-settings.ts';
import { itemOf, type PlainAttributes } from '../../../src/develop/testing/plain-values.ts';
import type { Item } from '../../../src/model/item.ts';
import type { Registry } from '../../../src/model/registry.ts';

/** The settings of the stack that these rules need. */
export function settingsFor(registry: Registry): StackSettings {
  return stackSettings(stackModel(registry));
}

export const ada: Item = itemOf({
  ...{ pk: 'author#ada', sk: 'profile', _type: 'author', name: 'Ada', email: 'ada@example.com' },
  ...{ joined: '2026-01-15', rank: 'staff', score: 7 },
});

export function postBy(author: string, more: PlainAttributes = {}): Item {
  return itemOf({
    ...{ pk: 'blog#engines', sk: 'post#notes', _type: 'post', author, title: 'Notes', published: 'draft' },
    ...{ author_name: 'Ada', author_label: 'Notes by Ada (7)', rank: 'staff' },
    ...{ author_pk: `author#${author}`, author_sk: 'post#notes', ...more },
  });
}

export const firstComment: Item = itemOf({
  ...{ pk: 'blog#engines#comments', sk: 'notes#1', _type: 'comment', title: 'Notes', published: 'draft' },
  ...{ text: 'Well said', weight: 1 },
});
