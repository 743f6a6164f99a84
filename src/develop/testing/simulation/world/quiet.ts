/** Resolves when everything that can go on without a request being served has gone on. */
export function quiet(): Promise<void> {
  return new Promise((done) => process.nextTick(done));
}
