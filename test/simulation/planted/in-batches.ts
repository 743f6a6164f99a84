import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong where the states of many items stand in one object, and where states are put in order. */
export const bugsInBatches: readonly PlantedBug[] = [
  bug(
    'acknowledge a batch before its manifest stands',
    'archiveLines',
    'await putOnce($archive, $manifestKey, $manifest, $head?.etag);',
    'putOnce($archive, $manifestKey, $manifest, $head?.etag).catch(() => {});',
  ),
  bug(
    'name a batch by its time alone',
    'batchNameOf',
    '.update(manifestText($lines))',
    '.update(String(at))',
  ),
  bug(
    'leave the last states out of the batches',
    'keptImages',
    'const isKept = $change.expired ||',
    'const isKept = !$change.expired &&',
  ),
  bug(
    'take data without a manifest for a whole batch',
    'archiveLines',
    'const [$objectKey, $manifestKey] = [batchObjectKeyOf($batch), manifestKeyOf($batch)]; const $head = await $archive.head($manifestKey);',
    'const [$objectKey, $manifestKey] = [batchObjectKeyOf($batch), manifestKeyOf($batch)]; const $head = await $archive.head($objectKey);',
  ),
  bug(
    'show every version after the last states',
    'isYounger',
    'if (sequenceOf($put) > 0n) return sequenceOf($put) >= sequenceOf($record);',
    'if (sequenceOf($put) > 0n) return true;',
  ),
];
