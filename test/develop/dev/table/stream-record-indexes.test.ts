import { copyFileSync, existsSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openDevEnvironment } from '../../../../src/develop/dev/dev-environment.ts';
import { ApplicationTable } from '../../../../src/develop/dev/table/application-table.ts';
import { startEmbeddedTableServer } from '../../../../src/develop/dev/table/embedded-table-server.ts';
import { table } from '../../../../src/table.ts';
import { loadRules } from '../../../fixtures/application/load-rules.ts';
import { localSettings } from '../../../fixtures/application/stack.ts';
import { newFolder } from '../../../suites/new-folder.ts';

async function openTable(dbPath: string): Promise<{ endpoint: string; notices: string[] }> {
  const folder = newFolder();
  const notices: string[] = [];
  const { endpoint, close } = await openDevEnvironment({
    ...{ registry: loadRules({ statusShards: 1, disabled: [] }), stack: localSettings },
    ...{ tableName: 'app', dbPath, archiveDir: folder, stateDir: folder, worker: false },
    onNotice: (notice) => notices.push(notice),
  });
  onTestFinished(close);
  return { endpoint, notices };
}

async function put(endpoint: string): Promise<void> {
  const application = new ApplicationTable(endpoint, 'app', table);
  await application.put({ [table.pk]: 'USER#1', [table.sk]: '#METADATA' });
  application.close();
}

function indexes(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const rows = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = '_stream_records'")
    .all();
  database.close();
  return rows.map(({ name }) => name).sort();
}

const both = ['denorm_record_numbers', 'denorm_shard_records'];

/** How SQLite finds what the server asks for, in the statements that its binary contains. */
function plans(file: string): string[] {
  const database = new DatabaseSync(file);
  const steps = [
    'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1',
    `SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, user_identity FROM _stream_records
     WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3
     ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4`,
    'SELECT MIN(sequence_number), MAX(sequence_number) FROM _stream_records WHERE table_name = ?1 AND shard_id = ?2',
  ].map((statement) => database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all());
  database.close();
  return steps.flat().map(({ detail }) => String(detail));
}

it('reads the stream records of the table that a dev environment opens by an index, in each of the ways of the server', async () => {
  const dbPath = join(newFolder(), 'indexed.db');
  const { endpoint, notices } = await openTable(dbPath);
  await put(endpoint);
  expect(indexes(dbPath)).toEqual(both);
  expect(plans(dbPath)).toEqual([
    'SEARCH _stream_records USING COVERING INDEX denorm_record_numbers (table_name=?)',
    'SEARCH _stream_records USING INDEX denorm_record_numbers (table_name=? AND <expr>>?)',
    'SEARCH _stream_records USING COVERING INDEX denorm_shard_records (table_name=? AND shard_id=?)',
  ]);
  expect(notices).toEqual([]);
});

it('goes on without an index that cannot be made, and says so once', async () => {
  const dbPath = join(newFolder(), 'other-shape.db');
  const database = new DatabaseSync(dbPath);
  database.exec('CREATE TABLE denorm_record_numbers (other INTEGER)');
  database.close();
  const { endpoint, notices } = await openTable(dbPath);
  await put(endpoint);
  expect(indexes(dbPath)).toEqual([]);
  expect(notices).toEqual([expect.stringContaining('there is already a table named denorm_record_numbers')]);
});

/** Where a process's open file of this name is, and the descriptor through which it can be read. */
function openFile(pid: number, name: string): { descriptor: string; target: string } {
  const folder = `/proc/${pid}/fd`;
  for (const number of readdirSync(folder)) {
    const target = readlinkSync(join(folder, number));
    if (target.includes(`/${name} `) || target.endsWith(`/${name}`))
      return { descriptor: join(folder, number), target };
  }
  throw new Error(`Expected process ${pid} to have ${name} open, got no such file`);
}

it.runIf(process.platform === 'linux')(
  'keeps a table without a file in one with indexes, of which no kill can leave anything behind',
  async () => {
    const server = await startEmbeddedTableServer();
    onTestFinished(server.stop);
    const { target, descriptor } = openFile(server.pid, 'table.db');
    expect(target).toMatch(/denorm-table-\w+\/table\.db \(deleted\)$/);
    expect(existsSync(dirname(target))).toBe(false);

    const copy = join(newFolder(), 'copy.db');
    copyFileSync(descriptor, copy);
    copyFileSync(openFile(server.pid, 'table.db-wal').descriptor, `${copy}-wal`);
    expect(indexes(copy)).toEqual(both);
    expect(server.slowsDown).toBeUndefined();
  },
);
