// Loaded into a command of this repository before it. Adds lines about its process to the file PROBE_FILE: when it starts; at SIGUSR2,
// its heap once garbage is collected; and what it has cost when it exits.
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

if (process.argv[1]?.endsWith('/cli/main.ts')) {
  note({});
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    note({
      heap: process.memoryUsage().heapUsed / 2 ** 20,
      handles: process.getActiveResourcesInfo().length,
    });
  });
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    note({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS / 1024 });
  });
}

/** @param {object} line */
function note(line) {
  appendFileSync(process.env['PROBE_FILE'] ?? '', `${JSON.stringify({ pid: process.pid, ...line })}\n`);
}
