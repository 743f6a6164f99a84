import { TransientError } from './errors.ts';

/**
 * Reads page after page, each from where the one before ended.
 * @param what the pages, in messages
 * @throws TransientError `archive.cut-off` or `table.cut-off` if a page does not move on
 */
export async function* allPages<Page extends { readonly next: Cursor | undefined }, Cursor>(
  { of, what }: { readonly of: Paged; readonly what: string },
  read: (from: Cursor | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let from: Cursor | undefined;
  do {
    const page = await read(from);
    requireMove(of, what, from, page.next);
    yield page;
    from = page.next;
  } while (from !== undefined);
}

type Paged = 'archive' | 'table';

/**
 * Some servers answer with the same page for ever.
 * @throws TransientError as {@link allPages}
 */
export function requireMove(of: Paged, what: string, from: unknown, next: unknown): void {
  if (next === undefined || JSON.stringify(next) !== JSON.stringify(from)) return;
  throw new TransientError(
    of === 'archive' ? 'archive.cut-off' : 'table.cut-off',
    `Expected each page of ${what} to name a later one, got the same again: check that the server pages as AWS does`,
  );
}
