import type { Registry } from '../../model/registry.ts';
import type { ClockPort, TablePort } from '../../ports.ts';
import type { ArchiveReader } from '../ports.ts';
import type { AuditFinding } from './claim.ts';
/** All that auditing works with. */
export interface Auditing {
  readonly registry: Registry;
  readonly reader: ArchiveReader;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly clock: ClockPort;
  /** How long a change may be on its way to the archive, in milliseconds. */
  readonly grace: number;
  /** Whether bodies are read as well, where their storage class lets it, and compared with checksum and digest. */
  readonly read: boolean;
  /** Requests to the archive side by side, 1 or more. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onFinding: (finding: AuditFinding) => void;
}

/** What an audit has looked at. */
export interface AuditCounts {
  /** Items that are going to expire. */
  exists: number;
  /** Last states of items that have ended. */
  ended: number;
  /** Deletions that were to erase. */
  erased: number;
  findings: number;
  /** Bodies that were read and are what was put. */
  read: number;
  /** Bodies that stand in Glacier, and were not read. */
  unread: number;
}
