/** The arguments of this process, of which each has to be given. */
export function argumentsOf<const Names extends readonly string[]>(
  ...names: Names
): { [Index in keyof Names]: string };
export function argumentsOf(...names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    const value = process.argv[index + 2];
    if (value === undefined) throw new Error(`Expected an argument for the ${name}, got none`);
    return value;
  });
}

/** Tells the parent process something, and the most memory that this process has had so far. */
export function tell(message: unknown): void {
  process.send?.({ message, megabytes: process.resourceUsage().maxRSS / 1024 });
}
