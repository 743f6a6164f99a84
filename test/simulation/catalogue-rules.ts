import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import { table } from '../fixtures/model/table.ts';
import { memberOnAddress, titleOnTags } from '../fixtures/world/posts.ts';

/**
 * Rules whose copies are all the worker's: at the keys of a list, for some roots only, with a value that differs between the copies of
 * a page by their keys alone; and at a key that two roots may want.
 */
export function catalogue(): Registry {
  const postOnTags = {
    ...titleOnTags,
    reads: { root: ['Tags', 'Views'], copy: [] },
    when: { root: ({ Views }: Readonly<Record<string, unknown>>) => Views !== 0 },
    derive: {
      Tag: ({ copy }: Parameters<NonNullable<(typeof titleOnTags)['derive'][string]>>[0]) => copy.ids['tag'],
    },
  };
  return makeRegistry(table, [postOnTags, memberOnAddress]);
}
