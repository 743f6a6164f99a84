/** What the processes of a measurement cost, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Source: proc(5), "/proc/pid/stat": clock ticks, of which Linux has 100 a second on every platform that Node runs on. */
const ticksPerSecond = 100;

/** Of all its threads, in seconds. */
export function cpuSeconds(pid: number): number {
  // After the name, which may contain anything: fields 14 and 15 of the line.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Megabytes of memory: now, and at most so far. */
export function memory(pid: number): { readonly now: number; readonly peak: number } {
  const status = read(pid, 'status');
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The process below `pid`, at any depth, that runs this program. */
export function processBelow(pid: number, program: string): number | undefined {
  for (const child of read(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number)) {
    const found = read(child, 'comm').trim() === program ? child : processBelow(child, program);
    if (found !== undefined) return found;
  }
  return undefined;
}

function read(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8');
}
