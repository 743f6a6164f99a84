/** `npm start`: plays three short stories on an embedded table and shows what the worker does in each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportError } from '../../src/cli/errors.ts';
import { styled } from '../../src/cli/output/terminal.ts';
import { printOnlyVisible } from '../../src/cli/output/visible.ts';
import { openStage, stories } from './open-stage.ts';

printOnlyVisible(process.stdout);
printOnlyVisible(process.stderr);

async function demo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-demo-'));
  const started = performance.now();
  const { stage, close } = await openStage(folder);
  try {
    for (const [index, story] of Object.values(stories).entries()) {
      console.log(styled('bold', `${index + 1}. ${story.title}`));
      await Promise.race([story.tell(stage), stage.worker.failed]);
      console.log();
    }
    console.log(
      `All ${Object.keys(stories).length} stories ended as expected, in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    );
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  await demo();
} catch (error) {
  process.exitCode = reportError(error);
}
