// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong on the way into the archive, and in erasing from it. */
export const bugsInArchive: readonly PlantedBug[] = [
  bug(
    'store no last state',
    'archiveLast',
    'if (!isStored) await putOnce(archive, finalKey, object, existing?.etag);',
    '',
  ),
  bug('name a batch by its time alone', 'batchNameOf', 'manifestText(lines)', 'String(at)'),
  bug(
    'take data without a manifest for a whole batch',
    'archiveLines',
    'archive.head(manifestKey)',
    'archive.head(objectKey)',
  ),
  bug(
    'erase with a deletion what came after it',
    'eraseDeleted',
    'objectKey, sequence, context.nonce()',
    'objectKey, 10n ** 39n, context.nonce()',
  ),
  {
    name: 'order the records of two streams by their labels',
    edits: [
      {
        in: 'isLater',
        find: 'isSameStream(a, b) ? recordId(a) > recordId(b) : secondOf(a) > secondOf(b)',
        replace: 'recordId(a) > recordId(b)',
      },
      {
        in: 'inSequence',
        find: 'return each.sort((a, b) => order(a.second, b.second)).map',
        replace: 'return each.map',
      },
    ],
  },
];

/** What can go wrong where items are given an expiry. */
export const bugsInSweep: readonly PlantedBug[] = [
  bug(
    'let items expire without archiving them',
    'asObjects',
    'await archiveState(context, { rule, kind, key, sequence: 0n })',
    "{ report: { outcome: 'unchanged' }, item: (await context.table.get(key))?.item }",
  ),
  bug(
    'go past a page before it is visited',
    'Pass.search',
    'visit: (items) => this.visit(items)',
    'visit: async (items) => void this.visit(items).catch(() => {})',
  ),
];
