import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import config from '../../denorm.config.ts';
import { functionNames } from '../../src/develop/dev/invoke.ts';
import { ApplicationTable } from '../../src/develop/dev/table/application-table.ts';
import { createTable } from '../../src/develop/dev/table/create-table.ts';
import {
  type EmbeddedTableServer,
  startEmbeddedTableServer,
} from '../../src/develop/dev/table/embedded-table-server.ts';
import { messageSchema } from '../../src/model/message.ts';
import { table } from '../../src/table.ts';
import { settings } from '../fixtures/application/stack.ts';
import { type EventScene, eventScenes } from './event-scenes.ts';

const { rules, aggregates } = config.registry();
const everyRule = [...rules, ...aggregates].map(({ name }) => name);

const run = promisify(execFile);
const eventsFolder = fileURLToPath(new URL('../../events', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/denorm.mjs', import.meta.url));
const archiveDir = mkdtempSync(join(tmpdir(), 'denorm-events-'));
let server: EmbeddedTableServer;

beforeAll(async () => {
  server = await startEmbeddedTableServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(archiveDir, { recursive: true });
});

const outcome = z.object({
  propagations: z.array(z.object({ rule: z.string(), written: z.number(), removed: z.number() })),
  deadLettered: z.array(z.unknown()).length(0),
  failed: z.array(z.string()).length(0),
  records: z.number().min(1),
});

/** Runs the event's function on it, on a table that is as the application left it. */
async function invoke({ name, function: functionName, before, act }: EventScene) {
  const tableName = name;
  await createTable(server.endpoint, tableName, settings.table);
  const application = new ApplicationTable(server.endpoint, tableName, table);
  for (const item of before) await application.put(item);
  await act(application);
  const file = join(eventsFolder, `${name}.json`);
  const options = [
    '--endpoint',
    server.endpoint,
    '--table',
    tableName,
    '--archive-dir',
    archiveDir,
    '--json',
  ];
  // The events are of the rules that the repository ships.
  const env = {
    ...process.env,
    DENORM_CONFIG: fileURLToPath(new URL('../../denorm.config.ts', import.meta.url)),
  };
  const { stdout } = await run(process.execPath, [launcher, 'invoke', functionName, file, ...options], {
    env,
  });
  return outcome.parse(JSON.parse(stdout));
}

describe('the events', () => {
  it('are the events of the scenes', () => {
    const files = readdirSync(eventsFolder);
    expect(files.map((file) => basename(file, '.json')).sort()).toEqual(
      eventScenes.map(({ name }) => name).sort(),
    );
  });

  it('cover every function and every rule', () => {
    expect(new Set(eventScenes.map((scene) => scene.function))).toEqual(new Set(functionNames));
    expect(new Set(eventScenes.flatMap((scene) => scene.rules))).toEqual(new Set(everyRule));
  });

  it('of an expiry carries the identity of the service', () => {
    const event = JSON.parse(readFileSync(join(eventsFolder, 'order-expired.json'), 'utf8'));
    expect(event.Records[0].userIdentity).toEqual({ type: 'Service', principalId: 'dynamodb.amazonaws.com' });
  });

  it.each(eventScenes)('$name is processed by $function', async (scene) => {
    const { propagations } = await invoke(scene);
    expect(propagations.map(({ rule }) => rule).sort()).toEqual([...scene.rules].sort());
    const changed = propagations.reduce((sum, { written, removed }) => sum + written + removed, 0);
    if (scene.function !== 'Archive') expect(changed).toBeGreaterThan(0);
    else expect(existsSync(join(archiveDir, 'archive', 'Order'))).toBe(true);
  });
});

test('the messages of events have the names that the worker sends', () => {
  const queued = z.object({ Records: z.array(z.object({ body: z.string().optional() })) });
  const messages = readdirSync(eventsFolder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => queued.parse(JSON.parse(readFileSync(join(eventsFolder, file), 'utf8'))).Records)
    .flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]));

  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) expect(messageSchema.parse(message)).toEqual(message);
});
