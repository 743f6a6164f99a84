/** `npm start`: plays four short stories on an embedded table and shows what the worker does in each. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import config from '../../denorm.config.ts';
import { reportError } from '../../src/cli/errors.ts';
import { styled } from '../../src/cli/output/terminal.ts';
import { pathOf } from '../../src/dev/archive-folder/paths.ts';
import { versionsOf } from '../../src/dev/archive-folder/versions.ts';
import { devTemplate, openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { ApplicationTable } from '../../src/dev/table/application-table.ts';
import { table } from '../../src/table.ts';
import { incidentCloses } from './incident-closes.ts';
import { orderExpires } from './order-expires.ts';
import { orderShips } from './order-ships.ts';
import { type Stage, StoryFailed } from './stage.ts';
import { userRenames } from './user-renames.ts';
import { type WorkSeen, watch } from './work-seen.ts';

const stories = [incidentCloses, userRenames, orderShips, orderExpires];

async function demo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-demo-'));
  const started = performance.now();
  let seen: WorkSeen | undefined;
  const devEnvironment = await openDevEnvironment({
    registry: config.registry(),
    template: devTemplate(fileURLToPath(new URL('../../template.yaml', import.meta.url))),
    tableName: 'demo',
    archiveDir: folder,
    stateDir: folder,
    watch: (port) => {
      seen = watch(port);
      return seen.table;
    },
  });
  const application = new ApplicationTable(devEnvironment.endpoint, 'demo', table);
  try {
    if (seen === undefined)
      throw new StoryFailed('Expected the table of the worker to be watched, and it is not');
    const stage: Stage = {
      application,
      worker: devEnvironment,
      seen,
      deadline: 8_000,
      archived: async (objectKey) => {
        const [newest] = await versionsOf(pathOf(folder, objectKey));
        return newest && readFile(newest.body, 'utf8');
      },
      holdsExactly: async (key, body) =>
        isDeepStrictEqual(await application.getRaw(key), JSON.parse(body).Item),
    };
    for (const [index, story] of stories.entries()) {
      console.log(styled('bold', `${index + 1}. ${story.title}`));
      await Promise.race([story.tell(stage), devEnvironment.failed]);
      console.log();
    }
    console.log(
      `All ${stories.length} stories ended as expected, in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    );
  } finally {
    application.close();
    await devEnvironment.close();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  await demo();
} catch (error) {
  process.exitCode = reportError(error);
}
