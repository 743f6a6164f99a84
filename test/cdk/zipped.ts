import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonTool } from '../../scripts/python-tools.ts';
import { runTool } from '../../scripts/sam.ts';

/** A folder as Lambda takes it. */
export async function zipped(folder: string): Promise<Buffer> {
  const at = mkdtempSync(join(tmpdir(), 'denorm-zipped-'));
  try {
    const file = join(at, 'code.zip');
    const contents = readdirSync(folder).map((name) => join(folder, name));
    const { code, output } = await runTool(pythonTool('sam', 'python'), [
      '-m',
      'zipfile',
      '-c',
      file,
      ...contents,
    ]);
    if (code !== 0) throw new Error(`Expected ${folder} to be zipped:\n${output}`);
    return readFileSync(file);
  } finally {
    rmSync(at, { recursive: true });
  }
}
