/** Waits for all promises, even if one rejects, then throws the first error: nothing is still running by then. */
export async function allSettledOrThrow<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
