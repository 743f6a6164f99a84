import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LocalServer } from '../../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { createTable } from '../../../src/dev/table/create-table.ts';
import {
  type EmbeddedTableServerOptions,
  findEmbeddedBinary,
  startEmbeddedTableServer,
} from '../../../src/dev/table/embedded-table-server.ts';
import { settings } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

const servers: LocalServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

async function start(options: EmbeddedTableServerOptions = {}): Promise<LocalServer> {
  const server = await startEmbeddedTableServer(options);
  servers.push(server);
  return server;
}

async function tables({ endpoint }: { endpoint: string }): Promise<string[] | undefined> {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  return (await client.send(new ListTablesCommand({}))).TableNames;
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the embedded server', () => {
  it('answers on loopback, until it is stopped', async () => {
    const server = await start();
    expect(new URL(server.endpoint).hostname).toMatch(/^127\./);
    expect(await tables(server)).toEqual([]);
    await server.stop();
    await server.stop();
    expect(runs(server.pid)).toBe(false);
  });

  it('keeps its tables in a file', async () => {
    const dbPath = join(newFolder(), 'kept.db');
    const first = await start({ dbPath });
    await createTable(first.endpoint, 'kept', settings.table);
    await first.stop();
    expect(await tables(await start({ dbPath }))).toEqual(['kept']);
  });

  it('reports that the database file cannot be opened', async () => {
    const directory = newFolder();
    const noDatabase = join(directory, 'notes.txt');
    writeFileSync(
      noDatabase,
      'not a database, though long enough to have a header that says so\n'.repeat(20),
    );
    for (const dbPath of [join(directory, 'no', 'such', 'directory.db'), directory, noDatabase]) {
      await expect(start({ dbPath })).rejects.toMatchObject({
        code: 'server.db-path',
        message: expect.stringContaining(dbPath),
      });
    }
  });

  it('names the package, and the alternative on a platform without it', () => {
    expect(() => findEmbeddedBinary('plan9', 'mips')).toThrow(
      expect.objectContaining({
        code: 'server.no-binary',
        message: expect.stringMatching(/@dynoxide\/plan9-mips.*--endpoint/),
      }),
    );
  });

  it('reports that it has ended by itself', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGKILL');
    await expect(server.failed).rejects.toThrow('Expected the embedded DynamoDB to run, but it has ended');
    expect(runs(server.pid)).toBe(false);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('dies with its parent on %s', async (signal) => {
    const script = fileURLToPath(new URL('../started-server.ts', import.meta.url));
    const parent = spawn(process.execPath, ['--no-warnings', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(parent, 'exit');
    try {
      const [line] = await once(parent.stdout, 'data');
      const { pid } = JSON.parse(String(line));
      expect(runs(pid)).toBe(true);
      parent.kill(signal);
      await exited;
      await vi.waitUntil(() => !runs(pid), { timeout: 5_000, interval: 20 });
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('dies with its watchdog', async () => {
    const server = await start();
    process.kill(Number(processColumn('ppid', server.pid)), 'SIGKILL');
    await vi.waitUntil(() => !runs(server.pid), { timeout: 5_000, interval: 20 });
  });

  it('leaves no temporary folder behind if its parent is killed while it starts', async () => {
    const script = fileURLToPath(new URL('../../../src/dev/server-watchdog.mjs', import.meta.url));
    const folder = newFolder();
    const program = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
    const watchdog = spawn(process.execPath, [script, folder, ...program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(watchdog.stdout, 'data');
    expect(existsSync(folder)).toBe(true);
    watchdog.stdin.end();
    await once(watchdog, 'exit');
    expect(existsSync(folder)).toBe(false);
  });

  it('finds the stream records by an index, in a file that survives a kill', async () => {
    const server = await start();
    const file = newestCopyOf(server.pid);
    const database = new DatabaseSync(file);
    // The statements that its binary contains.
    const plans = [
      'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1',
      `SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, user_identity FROM _stream_records
       WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3
       ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4`,
      'SELECT MIN(sequence_number), MAX(sequence_number) FROM _stream_records WHERE table_name = ?1 AND shard_id = ?2',
    ].flatMap((statement) => database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all());
    database.close();
    expect(plans.map(({ detail }) => detail)).toEqual([
      'SEARCH _stream_records USING COVERING INDEX denorm_record_numbers (table_name=?)',
      'SEARCH _stream_records USING INDEX denorm_record_numbers (table_name=? AND <expr>>?)',
      'SEARCH _stream_records USING COVERING INDEX denorm_shard_records (table_name=? AND shard_id=?)',
    ]);
  });

  it('reads a page of a segment by an index, in a table that its file had before', async () => {
    const dbPath = join(newFolder(), 'kept.db');
    const first = await start({ dbPath });
    await createTable(first.endpoint, 'kept', settings.table);
    await first.stop();
    await start({ dbPath });
    const database = new DatabaseSync(dbPath);
    // As the pieces in its binary say.
    const plan = database
      .prepare(
        `EXPLAIN QUERY PLAN SELECT pk, sk, item_json FROM "kept"
         WHERE (hash_prefix, pk, sk) > ((SELECT hash_prefix FROM "kept" WHERE pk = ?1 AND sk = ?2 LIMIT 1), ?3, ?4)
         AND substr(hash_prefix, 1, 3) >= ?5 AND substr(hash_prefix, 1, 3) <= ?6
         ORDER BY hash_prefix, pk, sk LIMIT ?7`,
      )
      .all();
    database.close();
    const details = plan.map(({ detail }) => detail);
    expect(details[0]).toBe('SEARCH kept USING INDEX denorm_scan kept ((hash_prefix,pk,sk)>(?,?,?))');
    expect(details.join()).not.toContain('TEMP B-TREE');
  });

  it('goes on without an index that cannot be made', async () => {
    const dbPath = join(newFolder(), 'other-shape.db');
    const database = new DatabaseSync(dbPath);
    database.exec('CREATE TABLE denorm_record_numbers (other INTEGER)');
    database.close();
    expect(await tables(await start({ dbPath }))).toEqual([]);
  });

  it('survives Ctrl-C in the terminal, which reaches the whole process group', async () => {
    const server = await start();
    expect(processColumn('pgid', server.pid)).not.toBe(processColumn('pgid', process.pid));
  });
});

function processColumn(column: 'pgid' | 'ppid', pid: number): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)])
    .toString()
    .trim();
}

/** A copy of the database that a server has open, whose file has no name any more. */
function newestCopyOf(pid: number): string {
  const copy = join(newFolder(), 'copy.db');
  for (const number of readdirSync(`/proc/${pid}/fd`)) {
    const descriptor = `/proc/${pid}/fd/${number}`;
    const [found, ending = ''] =
      /denorm-table-\w+\/table\.db(-wal)? \(deleted\)$/.exec(readlinkSync(descriptor)) ?? [];
    if (found !== undefined) copyFileSync(descriptor, `${copy}${ending}`);
  }
  return copy;
}
