/** What a partition takes in a second, in write units. Source: AWS, "Best practices for designing partition keys". */
export const unitsPerSecond = 1_000;

/**
 * The write capacity of one partition, stricter than DynamoDB's: it saves what was not used for one second, and DynamoDB for
 * 300, and nothing adapts or splits. Source: AWS, "Burst and adaptive capacity".
 */
export class Partition {
  private left = unitsPerSecond;
  private at = performance.now();

  /** Takes the units, or refuses them if not all of them are left. */
  take(units: number): boolean {
    const now = performance.now();
    this.left = Math.min(unitsPerSecond, this.left + ((now - this.at) / 1000) * unitsPerSecond);
    this.at = now;
    if (this.left < units) return false;
    this.left -= units;
    return true;
  }
}
