// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong on the way into the archive. */
export const bugsInArchive: readonly PlantedBug[] = [
  bug(
    'keep no last state where anything stands',
    'archiveLast',
    'if ($before !== undefined && isStampOf($before, $digest) && $before.sequence >= $made)',
    'if ($before !== undefined)',
  ),
  bug(
    'keep a last state of what was deleted',
    'archiveItem',
    "$change.expired || $found.rule.onDelete === 'archive'",
    "$change.expired || $found.rule.onDelete !== 'erase'",
  ),
  bug(
    'forget the last state of what was deleted, where the rule archives it',
    'archiveItem',
    "$change.expired || $found.rule.onDelete === 'archive'",
    '$change.expired',
  ),
  bug(
    'archive what when leaves out',
    'admissionOf',
    'stores: meets($table, $rule, $kind, $state)',
    'stores: true',
  ),
  bug(
    'keep what the rule erases',
    'archiveItem',
    "else if ($found.rule.onDelete === 'erase')",
    "else if ($found.rule.name === '')",
  ),
  bug(
    'erase with a deletion what came after it',
    'eraseDeleted',
    'await eraseUpTo($engine.archive, $objectKey, $sequence,',
    'await eraseUpTo($engine.archive, $objectKey, 10n ** 39n,',
  ),
  bug(
    'keep one last state for all lives',
    'finalObjectKeyOf',
    'return `${$objectKey}.${$sequence}`;',
    'return `${$objectKey}.0`;',
  ),
  bug(
    'write no key that can be read back',
    'encodeSegment',
    'const $encoded = encodeURIComponent($segment)',
    'const $encoded = $segment',
  ),
  bug('acknowledge first, archive later', 'archiveBatch', 'await Promise.all([', 'void Promise.all(['),
  bug(
    'look only whether something stands in the archive',
    'archiveCurrent',
    'if ($stands && $head.sequence >= $sequence)',
    'if ($head !== undefined)',
  ),
  bug(
    'archive items that are not to expire',
    'archiveItem',
    '$newest?.after === undefined || attribute($newest.after, $engine.registry.table.ttl) === undefined',
    '$newest?.after === undefined',
  ),
  bug(
    'put what the table says by then, under the number of an older record',
    'archiveCurrent',
    '$item !== undefined && isStill($engine.registry, $kind, $item, $state) ? $item : undefined',
    '$item',
  ),
];

/** What adapters promise and could break: planted in the ports that the simulator puts in their place. */
export const bugsInPorts: readonly PlantedBug[] = [
  bug(
    'read roots eventually consistent',
    'RequestedTable.read',
    'return this.table.read($key);',
    "return verb === 'get' ? this.table.readLate($key) : this.table.read($key);",
  ),
  bug(
    'read copies eventually consistent',
    'RequestedTable.read',
    'return this.table.read($key);',
    "return verb === 'read' ? this.table.readLate($key) : this.table.read($key);",
  ),
  bug(
    'upsert',
    'ModelTable.guardedUpdate',
    'if ($item === undefined || !holds($item, $expect)) return',
    'if ($item !== undefined && !holds($item, $expect)) return',
  ),
];
