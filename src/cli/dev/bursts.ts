import { number } from '../../model/basics/text.ts';

/** So many lines of a burst are printed. */
const maxLines = 20;

/** A burst is over when nothing has come for so long, in milliseconds. */
const windowMs = 1_000;

/**
 * Prints the lines of single changes, and of a burst the first ones; of the others, each second, how many there were of each sort.
 * @returns `end` prints what is not printed yet
 */
export function bursts(print: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let printed = 0;
  let counted = new Map<string, number>();

  function sumUp(): void {
    timer = undefined;
    const sorts = [...counted].map(([sort, count]) => `${sort} ${number(count)}`);
    const all = [...counted.values()].reduce((sum, count) => sum + count, 0);
    counted = new Map();
    if (all === 0) {
      printed = 0;
      return;
    }
    print(`… ${number(all)} more within a second: ${sorts.join(', ')}`);
    wait();
  }

  function wait(): void {
    timer = setTimeout(sumUp, windowMs);
    timer.unref();
  }

  return {
    /** @param line made only if it is printed */
    add(sort: string, line: () => string): void {
      if (timer === undefined) wait();
      printed += 1;
      if (printed <= maxLines) print(line());
      else counted.set(sort, (counted.get(sort) ?? 0) + 1);
    },
    end(): void {
      clearTimeout(timer);
      sumUp();
      clearTimeout(timer);
    },
  };
}
