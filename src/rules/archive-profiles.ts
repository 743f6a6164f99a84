import { defineArchiveRule } from '../model/archive-rule.ts';
import { userProfile } from './shop-items.ts';

/** A profile never ages: only the application sets its TTL. */
export const archiveProfiles = defineArchiveRule({
  name: 'archive-profiles',
  kinds: [userProfile],
  onDelete: 'keep',
});
