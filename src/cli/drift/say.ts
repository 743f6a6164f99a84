/** Prints a line where a progress bar may be drawn: the bar is wiped first, and draws itself anew below. */
export function say(line: string): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(line);
}
