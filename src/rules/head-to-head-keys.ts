import { defineRule } from 'stream-denormalizer';
import { GSI1 } from '../table.ts';
import { contender, headToHead } from './vote-items.ts';

/** Indexes head-to-heads by their second contender in GSI1: their own partition is that of the first. */
export const headToHeadKeys = defineRule({
  name: 'head-to-head-keys',
  root: headToHead,
  copy: headToHead,
  reads: { root: ['Contender1', 'Contender2'] },
  located: { in: 'itself' },
  derive: {
    [GSI1.pk]: ({ root }) => contender.pk({ contender: root.Contender2 }),
    [GSI1.sk]: ({ root }) => `VS#${root.Contender1}`,
  },
  onDelete: 'keep',
  onExpire: 'keep',
});
