// Loaded into `denorm dev` before it: at SIGUSR2 it collects garbage, and adds a line about this process to the file PROBE_FILE.
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

if (process.argv[1]?.endsWith('/cli/main.ts')) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    const handles = process.getActiveResourcesInfo().length;
    note({ pid: process.pid, heap: process.memoryUsage().heapUsed / 2 ** 20, handles });
  });
  note({ pid: process.pid, heap: 0, handles: 0 });
}

/** @param {object} line */
function note(line) {
  appendFileSync(process.env['PROBE_FILE'] ?? '', `${JSON.stringify(line)}\n`);
}
