// The worker of `node bin/node-24.mjs test/wide/main.ts`, in a process of its own: says when it is ready, each propagation, and at the end what it
// asked of the table and what memory it took.
import { devTemplate, openDevEnvironment } from '../../src/develop/dev/dev-environment.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { countingTable } from '../table-model/counting-table.ts';
import { argumentsOf, tell } from './process.ts';

const [endpoint, tableName, folder, template] = argumentsOf('endpoint', 'table', 'folder', 'template');
let counts: ReturnType<typeof countingTable>['counts'] | undefined;
const devEnvironment = await openDevEnvironment({
  registry: loadRules({ statusShards: 1 }),
  template: devTemplate(template),
  ...{ tableName, endpoint, archiveDir: folder, stateDir: folder },
  watch: (port) => {
    const watched = countingTable(port);
    counts = watched.counts;
    return watched.port;
  },
  onPropagation: ({ rule, cause, written }) => {
    if (rule === 'incident-on-participations' && cause !== 'check') tell({ written });
  },
});
process.once('message', async () => {
  await devEnvironment.idle();
  await devEnvironment.close();
  tell({ ended: counts });
  process.disconnect();
});
tell('ready');
