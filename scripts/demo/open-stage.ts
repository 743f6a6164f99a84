import { isDeepStrictEqual } from 'node:util';
import config from '../../denorm.config.ts';
import { stackSettings } from '../../src/deploy/stack-settings.ts';
import { projectStack } from '../../src/deploy/stack-template.ts';
import { ArchiveFiles } from '../../src/dev/archive-folder.ts';
import { openDevEnvironment } from '../../src/dev/dev-environment.ts';
import { table } from '../../src/table.ts';
import { ApplicationTable } from './application-table.ts';
import { incidentCloses } from './incident-closes.ts';
import { orderExpires } from './order-expires.ts';
import type { Stage } from './stage.ts';
import { votesCount } from './votes-count.ts';

export const stories = { incidentCloses, votesCount, orderExpires };

export interface OpenStage {
  readonly stage: Stage;
  close(): Promise<void>;
}

/**
 * An embedded table with the worker, as `denorm dev` runs them, for stories.
 * @param folder for what they keep
 */
export async function openStage(folder: string): Promise<OpenStage> {
  const registry = config.registry();
  const stack = stackSettings(projectStack({ config }));
  const worker = await openDevEnvironment({ registry, stack, tableName: 'demo', stateDir: folder });
  const application = new ApplicationTable(worker.endpoint, 'demo', table);
  async function close(): Promise<void> {
    application.close();
    await worker.close();
  }
  return {
    stage: {
      application,
      worker,
      deadline: 8_000,
      archived: async (objectKey) => {
        const files = new ArchiveFiles(folder);
        for await (const head of files.headsOf(objectKey)) return (await files.bodyOf(head))?.toString();
        return undefined;
      },
      holdsExactly: async (key, body) =>
        isDeepStrictEqual(await application.getRaw(key), JSON.parse(body).Item),
    },
    close,
  };
}
