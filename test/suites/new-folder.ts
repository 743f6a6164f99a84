import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is removed after the test. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'denorm-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
