/**
 * Waits until something is there.
 * @throws Error naming it where it is not within the time, in milliseconds
 */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
  within = 40_000,
): Promise<Found> {
  const end = performance.now() + within;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Expected within ${within} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
