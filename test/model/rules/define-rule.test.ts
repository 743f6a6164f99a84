import { describe, expect, test } from 'vitest';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { post, taggedPost } from '../../fixtures/world/posts.ts';
import { orderStateKeys, usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { refusal } from '../../suites/refusal.ts';

describe('defining a rule', () => {
  test('fills in the defaults', () => {
    expect(usernameOnMemberships).toMatchObject({
      ...{ name: 'username-on-memberships', reads: { root: [], copy: ['UserId'] }, copies: ['Name'] },
      ...{ derive: {}, own: [], unknown: 'keep', tenant: undefined, onDelete: 'keep', onExpire: 'keep' },
    });
  });

  test('reads an item that is its own copy once: root and copy have the same reads', () => {
    const reads = ['Status', 'CreatedAt'];

    expect(orderStateKeys.reads).toEqual({ root: reads, copy: reads });
  });

  test('takes a rule that only deletes copies, unless it creates them or is its own', () => {
    const nothing = {
      ...{ name: 'a', root: post, copy: taggedPost, rootOf: () => undefined },
      ...{ located: { in: 'partition', at: () => ({ pk: 'p' }) }, onDelete: 'keep', onExpire: 'keep' },
    };
    const deleting = [{ onDelete: 'delete' }, { onExpire: 'delete' }, { onUnlink: 'delete' }];

    for (const policy of deleting) {
      const defined = (change: object) => defineRule({ ...nothing, ...policy, ...change } as never);
      expect(defined({}).copies).toEqual([]);
      expect(refusal(() => defined({ creates: true }))).toMatchObject({ code: 'rule.idle' });
      expect(refusal(() => defined({ located: { in: 'itself' } }))).toMatchObject({ code: 'rule.idle' });
    }
  });
});
