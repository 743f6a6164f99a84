/** A number and what is counted: `1 dead letter`, `2,000 dead letters`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}
