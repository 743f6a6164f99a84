/** Commands of this repository that are run as users run them, with a probe that notes what they cost. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectFolder } from '../scripts/python-tools.ts';

export interface CommandOptions {
  readonly cwd: string;
  /** A denorm.config.ts. */
  readonly config: string;
  readonly probeFile: string;
  readonly stdio: StdioOptions;
}

export function startCommand(
  words: readonly string[],
  { cwd, config, ...options }: CommandOptions,
): ChildProcess {
  const probe = `--import=${new URL('probe.mjs', import.meta.url).href}`;
  const env = {
    ...process.env,
    DENORM_CONFIG: config,
    PROBE_FILE: options.probeFile,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} ${probe}`,
  };
  const launcher = join(projectFolder, 'bin/denorm.mjs');
  return spawn(process.execPath, [launcher, ...words], { cwd, env, stdio: options.stdio });
}

/** Heap and peak are megabytes. */
const line = z.object({
  pid: z.number(),
  heap: z.number().optional(),
  handles: z.number().optional(),
  cpuSeconds: z.number().optional(),
  peak: z.number().optional(),
});

export function probed(probeFile: string): readonly z.output<typeof line>[] {
  if (!existsSync(probeFile)) return [];
  const lines = readFileSync(probeFile, 'utf8').split('\n').slice(0, -1);
  return lines.map((text) => line.parse(JSON.parse(text)));
}
