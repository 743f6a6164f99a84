// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
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
    'look only whether something stands in the archive',
    archive,
    '    if (head?.digest === digest)\n',
    '    if (head !== undefined)\n',
  ),
  {
    name: 'archive items that are not to expire',
    edits: [
      {
        file: archiveBatch,
        find: 'attribute(after, engine.registry.table.ttl) !== undefined',
        replace: 'true',
      },
      {
        file: archive,
        find: 'item === undefined || attribute(item, engine.registry.table.ttl) === undefined',
        replace: 'item === undefined',
      },
    ],
  },
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
];
