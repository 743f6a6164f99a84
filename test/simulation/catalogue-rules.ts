import * as z from 'zod';
import { defineRule } from '../../src/model/define-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import { makeRegistry, type Registry } from '../../src/model/registry.ts';
import { table } from '../../src/table.ts';

const post = defineKind({
  name: 'Post',
  type: 'Post',
  pk: 'POST#{post}',
  sk: 'POST',
  attributes: z.object({
    Title: z.string(),
    Tags: z.array(z.string().min(1)),
    Hidden: z.boolean().optional(),
  }),
});

/** A post below one of its tags, which it says, too: a value that differs between the copies of a page by their keys alone. */
const tagged = defineKind({
  name: 'TaggedPost',
  type: 'TaggedPost',
  pk: 'TAG#{tag}',
  sk: 'POST#{post}',
  attributes: z.object({ Title: z.string(), Tag: z.string() }),
});

const postOnTags = defineRule({
  name: 'post-on-tags',
  root: post,
  copy: tagged,
  reads: { root: ['Tags', 'Hidden'] },
  located: { in: 'keys', at: ({ ids, Tags }) => Tags.map((tag) => tagged.key({ tag, post: ids.post })) },
  when: { root: ({ Hidden }) => Hidden !== true },
  rootOf: ({ ids }) => post.key({ post: ids.post }),
  creates: true,
  copies: ['Title'],
  derive: { Tag: ({ copy }) => copy.ids.tag },
  onDelete: 'delete',
  onExpire: 'delete',
});

const member = defineKind({
  name: 'Member',
  type: 'Member',
  pk: 'MEMBER#{member}',
  sk: 'MEMBER',
  attributes: z.object({ Email: z.string().min(1), Name: z.string() }),
});

/** Two members may want the same address: the first has it. */
const address = defineKind({
  name: 'Address',
  type: 'Address',
  pk: 'ADDRESS#{address}',
  sk: 'ADDRESS',
  attributes: z.object({ MemberId: z.string(), Name: z.string() }),
});

const memberOnAddress = defineRule({
  name: 'member-on-address',
  root: member,
  copy: address,
  reads: { root: ['Email'], copy: ['MemberId'] },
  located: { in: 'key', at: ({ Email }) => address.key({ address: Email }) },
  rootOf: ({ MemberId }) => member.key({ member: MemberId }),
  creates: true,
  copies: ['Name'],
  derive: { MemberId: ({ root }) => root.ids.member },
  onDelete: 'delete',
  onExpire: 'delete',
});

/**
 * Rules whose copies are all the worker's: at the keys of a list, and at a key that two roots may want. Each run has a
 * registry of its own, by which a planted bug may remember what happened in that run.
 */
export function catalogue(): Registry {
  return makeRegistry(table, [postOnTags, memberOnAddress]);
}
