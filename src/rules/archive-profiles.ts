import { defineArchiveRule } from '../model/archive-rule.ts';
import { userProfile } from './shop-items.ts';

/** A profile never ages: it expires when the application says so. */
export const archiveProfiles = defineArchiveRule({
  name: 'archive-profiles',
  kinds: [userProfile],
  onDelete: 'keep',
});
