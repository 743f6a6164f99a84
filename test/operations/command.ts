import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keyText } from '../../src/model/items/item.ts';
import { jsonLines, watched, withState } from '../cli/denorm.ts';
import type { Wrong } from './drifted-items.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A line that a command printed for machines. */
export interface Line {
  readonly finding?: string;
  readonly leftAlone?: string;
  readonly rule?: string;
  readonly copy?: Readonly<Record<string, string>>;
  readonly summary?: Readonly<Record<string, unknown>>;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly Line[];
  readonly stderr: string;
}

/**
 * Runs a command as a process of its own, without the launcher, so that a signal hits the work itself.
 * @param interrupt when to send which signal: once its resume point says that it has seen so many items more
 */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  interrupt?: { readonly signal: NodeJS.Signals; readonly items: number; readonly point: string },
): Promise<Ran> {
  const { process: child, ...command } = watched(
    spawn(process.execPath, [main, ...withState(args)], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const before = interrupt === undefined ? 0 : itemsIn(join(cwd, '.denorm', interrupt.point));
  while (interrupt !== undefined && child.exitCode === null) {
    if (itemsIn(join(cwd, '.denorm', interrupt.point)) >= before + interrupt.items) {
      child.kill(interrupt.signal);
      break;
    }
    await delay(20);
  }
  const code = await command.exited;
  const lines = jsonLines<Line>({ stdout: command.stdout() });
  return { code, signal: child.signalCode, lines, stderr: command.stderr() };
}

function itemsIn(path: string): number {
  if (!existsSync(path)) return 0;
  const { state } = JSON.parse(readFileSync(path, 'utf8'));
  return state.items ?? state.search?.items ?? 0;
}

/** Whether a repair mends it, unless it is allowed more than usual. */
export function isMended({ kind, unmapped }: Wrong): boolean {
  return (kind === 'differs' || kind === 'derived') && !unmapped;
}

/** What runs found, as texts, each once: what a run had not kept when it was killed is found again by the next. */
export function foundBy(...runs: readonly Ran[]): string[] {
  const found = runs.flatMap(({ lines }) => lines.flatMap((line) => textOfLine(line) ?? []));
  return [...new Set(found)].toSorted();
}

function textOfLine({ finding, rule = '', copy = {} }: Line): string | undefined {
  const key = { pk: copy['PK'] ?? '', sk: copy['SK'] ?? '' };
  return finding === undefined ? undefined : `${rule} ${finding} ${keyText(key)}`;
}
