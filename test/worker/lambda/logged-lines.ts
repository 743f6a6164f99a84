import { vi } from 'vitest';

/** Captures the lines that Powertools writes, as CloudWatch would receive them, until mocks are restored. */
export function captureLines(): string[] {
  const lines: string[] = [];
  for (const channel of ['log', 'info', 'debug', 'warn', 'error'] as const)
    vi.spyOn(console, channel).mockImplementation((line: unknown) => void lines.push(String(line)));
  // Powertools has its own console, which writes to the streams.
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(
        ...String(chunk)
          .split('\n')
          .filter((line) => line.startsWith('{')),
      );
      return true;
    });
  return lines;
}
