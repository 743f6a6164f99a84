import type { Registry } from '../../../model/registry.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import type { ClockPort, TablePort } from '../../../worker/ports.ts';
import type { AuditFinding } from './claim.ts';

/** Everything that an audit needs. */
export interface Auditing {
  readonly registry: Registry;
  readonly reader: ArchiveReader;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly clock: ClockPort;
  /** How long the archive may lag behind the table, in milliseconds. */
  readonly grace: number;
  /** Whether bodies are read too, if their storage class allows it, and checked against checksum and digest. */
  readonly read: boolean;
  /** Requests to the archive in parallel, 1 or more. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onFinding: (finding: AuditFinding) => void;
}

/** What an audit has checked. */
export interface AuditCounts {
  /** Items with an expiry. */
  exists: number;
  /** Final states of items that are gone. */
  ended: number;
  /** Deletions that must erase. */
  erased: number;
  findings: number;
  /** Bodies that were read and are intact. */
  read: number;
  /** Bodies that were not read because they are in Glacier. */
  unread: number;
}
