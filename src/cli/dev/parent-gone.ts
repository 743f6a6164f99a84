/** How often the parent is looked at, in milliseconds. */
const interval = 500;

/**
 * Calls back once when the process that started this one is gone: a signal to a launcher further up does not reach us.
 * @param launcher the launcher's process id where there is one; else the parent that this process has now
 */
export function parentGone(launcher: number | undefined, gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (launcher === undefined || isAlive(launcher))) return;
    clearInterval(timer);
    gone();
  }, interval);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
