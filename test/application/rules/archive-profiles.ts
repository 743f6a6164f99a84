import { defineArchive } from 'stream-denormalizer';
import { userProfile } from './shop-items.ts';

/** A profile never ages: only the application sets its TTL. */
export const archiveProfiles = defineArchive({
  name: 'archive-profiles',
  kinds: [userProfile],
  onDelete: 'keep',
});
