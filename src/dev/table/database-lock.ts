import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { LocalError } from '../errors.ts';
import { unwritable } from './embedded-table-server.ts';

/** SQLite's code for what another connection has locked. */
const busy = 5;

/** How long a dev environment that ends may keep the next one waiting. */
const waitMs = 500;

/**
 * Keeps other dev environments off a database file until it is released, or this process ends, even by SIGKILL: the lock is
 * SQLite's, on a file beside it, which means nothing by being there.
 * @param port where the table is served; 0 if that is open
 * @returns releases it
 * @throws LocalError `server.db-in-use` if another has it, `server.db-path` if there can be no file beside it
 */
export async function lockDatabase(dbPath: string, port: number): Promise<() => Promise<void>> {
  const sqlite = await import('node:sqlite');
  const file = `${dbPath}.lock`;
  let lock: DatabaseSync | undefined;
  try {
    lock = new sqlite.DatabaseSync(file, { timeout: waitMs });
    lock.exec(
      `BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; PRAGMA application_id = ${port}; COMMIT; BEGIN IMMEDIATE`,
    );
  } catch (error) {
    const refused = lock && Object(error).errcode === busy ? inUse(dbPath, lock) : unwritable(dbPath, error);
    lock?.close();
    throw refused;
  }
  const held = lock;
  const release = async () => {
    if (!held.isOpen) return;
    await rm(file, { force: true }).catch(() => {});
    held.close();
  };
  if (existsSync(file)) return release;
  // The one before has removed the file, which no other would find locked.
  held.close();
  return lockDatabase(dbPath, port);
}

function inUse(dbPath: string, lock: DatabaseSync): LocalError {
  const numberOf = (name: string) => Number(lock.prepare(`PRAGMA ${name}`).get()?.[name]);
  const port = numberOf('application_id');
  const at = port === 0 ? '' : ` on port ${port}`;
  return new LocalError(
    'server.db-in-use',
    `Expected no other dev environment on ${dbPath}, found that of process ${numberOf('user_version')}${at}: use it, end it, or choose another file with --db-path.`,
  );
}
