/** Requests to S3 and how they failed, counted as they are made, the SDK's own retries among them. */
export class S3Figures {
  readonly requests = new Map<string, number>();
  readonly failures = new Map<string, number>();

  asked(what: string): void {
    add(this.requests, what);
  }

  failed(how: string): void {
    add(this.failures, how);
  }

  total(): number {
    return sum(this.requests);
  }

  /** How many of all requests failed, 0 to 1. */
  failing(): number {
    return sum(this.failures) / Math.max(1, this.total());
  }
}

/** What was done, in one line for each figure. */
export function figuresText(title: string, lines: Readonly<Record<string, string | number>>): string {
  const texts = Object.entries(lines).map(
    ([name, value]) => `  ${name}: ${typeof value === 'number' ? grouped(value) : value}`,
  );
  return `\n${title}\n${texts.join('\n')}\n`;
}

export function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${grouped(count)} ${name}`).join(', ') || 'none';
}

/** The most memory that this process ever had, in MB. */
export function peakMemory(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** One more of this name. */
export function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}
