/** Texts that were added last. */
export class RecentSet {
  private readonly most: number;
  private readonly texts = new Set<string>();

  /** @param most so many are remembered */
  constructor(most: number) {
    this.most = most;
  }

  /** @returns whether it is new, or was added long ago */
  add(text: string): boolean {
    const isNew = !this.texts.delete(text);
    this.texts.add(text);
    const [oldest] = this.texts;
    if (this.texts.size > this.most && oldest !== undefined) this.texts.delete(oldest);
    return isNew;
  }
}
