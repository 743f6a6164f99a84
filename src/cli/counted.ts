/** A number and what is counted: `1 letter`, `2 letters`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
