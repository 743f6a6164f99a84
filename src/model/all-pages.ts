/** Reads page after page, each from where the one before ended. */
export async function* allPages<Page extends { readonly next: Cursor | undefined }, Cursor>(
  read: (from: Cursor | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let from: Cursor | undefined;
  do {
    const page = await read(from);
    yield page;
    from = page.next;
  } while (from !== undefined);
}
