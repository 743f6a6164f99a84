import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { pathOf } from '../../dev/archive-folder/paths.ts';
import { versionsOf } from '../../dev/archive-folder/versions.ts';
import { openDevEnvironment } from '../../dev/dev-environment.ts';
import { ApplicationTable } from '../../dev/table/application-table.ts';
import { loadRules } from '../../rules/index.ts';
import { table } from '../../table.ts';
import { exitCodes } from '../errors.ts';
import { styled } from '../output/terminal.ts';
import { incidentCloses } from './incident-closes.ts';
import { orderExpires } from './order-expires.ts';
import { orderShips } from './order-ships.ts';
import { type Stage, StoryFailed } from './stage.ts';
import { userRenames } from './user-renames.ts';
import { type WorkSeen, watch } from './work-seen.ts';

const stories = [incidentCloses, userRenames, orderShips, orderExpires];

/** `denorm demo`, which `npm start` runs. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Plays four short stories on an embedded table and shows what the worker does in each.')
    .addHelpText(
      'after',
      '\nThe demo needs nothing else and keeps nothing. It exits 0 if every story ends as expected.',
    )
    .action(demo);
}

async function demo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-demo-'));
  const started = performance.now();
  let seen: WorkSeen | undefined;
  const devEnvironment = await openDevEnvironment({
    registry: loadRules({ statusShards: 1, disabled: [] }),
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
    process.exitCode = exitCodes.fine;
  } finally {
    application.close();
    await devEnvironment.close();
    await rm(folder, { recursive: true, force: true });
  }
}
