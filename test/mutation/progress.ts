/** Shows how far it is: a bar in a terminal, a line for every twentieth elsewhere. */
export function showProgress(done: number, all: number): void {
  const part = done / all;
  const percent = Math.round(part * 100);
  if (process.stdout.isTTY) {
    const bar = '='.repeat(Math.round(part * 30)).padEnd(30);
    process.stdout.write(`\r[${bar}] ${percent} %  ${done} of ${all} mutants`);
  } else if (Math.floor(part * 20) > Math.floor(((done - 1) / all) * 20))
    console.log(`${percent} %  ${done} of ${all} mutants`);
}

/** Takes the bar away. */
export function clearProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}
