/** Hashing the whole of longer texts would take most of the time of a run that has some. */
const longest = 8192;

/** A hash of all that happened in a run, in its order: equal hashes, equal runs. */
export class TraceHash {
  private high = 0xdeadbeef;
  private low = 0x41c6ce57;

  /** Of a very long text, how it begins, how it ends and its length. */
  add(whole: string): void {
    const text =
      whole.length <= longest
        ? whole
        : `${whole.slice(0, longest / 2)}${whole.slice(-longest / 2)}${whole.length}`;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      this.high = Math.imul(this.high ^ code, 2_654_435_761);
      this.low = Math.imul(this.low ^ code, 1_597_334_677);
    }
    this.high = Math.imul(this.high ^ (this.high >>> 15), 2_246_822_507) ^ this.low;
    this.low = Math.imul(this.low ^ (this.low >>> 13), 3_266_489_909) ^ this.high;
  }

  text(): string {
    return (this.high >>> 0).toString(16).padStart(8, '0') + (this.low >>> 0).toString(16).padStart(8, '0');
  }
}
