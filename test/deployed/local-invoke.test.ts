import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { eventScenes } from '../../scripts/event-scenes.ts';
import { sam } from '../../scripts/sam.ts';
import { ApplicationTable } from '../../src/local/application-table.ts';
import { createTable } from '../../src/local/create-table.ts';
import { startEmbeddedTableServer } from '../../src/local/embedded-table-server.ts';
import { readTemplate } from '../../src/local/template.ts';
import { table } from '../../src/table.ts';
import { projectTemplate } from '../template/template-lint.ts';

const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** Those that need neither a queue nor a bucket: `denorm dev` has none to offer to a container. */
const scenes = eventScenes.filter(({ name }) =>
  ['incident-closed', 'incident-deleted', 'order-shipped'].includes(name),
);

describe.skipIf(!hasEngine)(
  hasEngine ? 'sam local invoke' : 'sam local invoke, skipped: no container engine',
  () => {
    it.each(scenes)('runs $function on $name against a table on this machine', async (scene) => {
      // The port of events/env.json, which is that of `denorm dev`.
      const server = await startEmbeddedTableServer({ port: 8000 });
      try {
        await createTable(server.endpoint, 'app', readTemplate(projectTemplate).table);
        const application = new ApplicationTable(server.endpoint, 'app', table);
        for (const item of scene.before) await application.put(item);
        await scene.act(application);
        const output = await sam([
          ...['local', 'invoke', scene.function, '--template-file', '.aws-sam/build/template.yaml'],
          ...['--event', `events/${scene.name}.json`, '--env-vars', 'events/env.json'],
          ...['--docker-network', 'host', '--add-host', 'host.docker.internal:127.0.0.1'],
        ]);
        expect(output).toContain('"batchItemFailures":[]');
      } finally {
        await server.stop();
      }
    });
  },
);
