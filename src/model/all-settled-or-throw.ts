/** Waits for all, even where one fails, so that nothing is under way any more when the first error is thrown. */
export async function allSettledOrThrow<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
