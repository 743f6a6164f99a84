/** Whether this process prints for machines. Known before the command line is parsed: what is wrong with that is JSON, too. */
export const printsJson: boolean = process.argv.includes('--json');

/**
 * The last line for machines: what a command looked at, found and did, and all that it has not printed as lines before. The rule for
 * all commands: docs/operations.md#json.
 */
export function printSummary(summary: object): void {
  console.log(JSON.stringify({ summary }));
}
