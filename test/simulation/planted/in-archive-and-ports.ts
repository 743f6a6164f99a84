import { bug, type PlantedBug } from './planted-bug.ts';

const archive = 'src/execution/archive.ts';
const archiveBatch = 'src/execution/archive-batch.ts';
const archiveObject = 'src/domain/archive-object.ts';
const requestedTable = 'test/simulation/world/requested-table.ts';

/** What can go wrong on the way into the archive. */
export const bugsInArchive: readonly PlantedBug[] = [
  bug(
    'keep no last state where anything stands',
    archive,
    '  if (head?.digest === digest) return { kind: kind.name, key: change.key',
    '  if (head !== undefined) return { kind: kind.name, key: change.key',
  ),
  bug('keep a last state of what was deleted', archiveBatch, '!change.expired || ', ''),
  bug(
    'keep one last state for all lives',
    archiveObject,
    'return `${objectKey}.${sequence}`;',
    'return `${objectKey}.0`;',
  ),
  bug(
    'write no key that can be read back',
    archiveObject,
    'const encoded = encodeURIComponent(segment)',
    'const encoded = segment',
  ),
  bug('acknowledge first, archive later', archiveBatch, 'await Promise.all([', 'void Promise.all(['),
  bug(
    'take a lost condition of a put for stored',
    archive,
    '      continue;\n',
    "      return { kind: kind.name, key, objectKey, outcome: 'stored' };\n",
  ),
  bug(
    'look only whether something stands in the archive',
    archive,
    '    if (head?.digest === digest)\n',
    '    if (head !== undefined)\n',
  ),
  bug(
    'archive items that are not to expire',
    archiveBatch,
    'attribute(after, engine.registry.table.ttl) !== undefined',
    'true',
  ),
];

/** What adapters promise and could break: planted in the ports that the simulator puts in their place. */
export const bugsInPorts: readonly PlantedBug[] = [
  bug(
    'read roots eventually consistent',
    requestedTable,
    '      return this.table.read(key);',
    "      return verb === 'get' ? this.table.readLate(key) : this.table.read(key);",
  ),
  bug(
    'read copies eventually consistent',
    requestedTable,
    '      return this.table.read(key);',
    "      return verb === 'read' ? this.table.readLate(key) : this.table.read(key);",
  ),
  bug(
    'upsert',
    'test/model/model-table.ts',
    'if (item === undefined || !holds(item, expect)) return',
    'if (item !== undefined && !holds(item, expect)) return',
  ),
  bug(
    'put into the archive without a condition',
    'test/model/model-archive.ts',
    '    if (this.current(objectKey)?.etag !== replaces) return false;\n',
    '',
  ),
];
