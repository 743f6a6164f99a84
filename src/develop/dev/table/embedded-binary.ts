import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalError } from '../errors.ts';

/**
 * The path of the embedded DynamoDB's program, from the optional package for this platform.
 * @throws LocalError `server.no-binary` with the package's name and the alternative
 */
export function findEmbeddedBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@dynoxide/${platform}-${arch}`;
  const directory = packageDirectory(name);
  const file = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  if (directory !== undefined && existsSync(join(directory, file))) return join(directory, file);
  throw new LocalError(
    'server.no-binary',
    `Expected the embedded DynamoDB for ${platform}-${arch} in the package ${name}, which is not installed: ` +
      `install it if npm has it, or name a running DynamoDB with --endpoint.`,
  );
}

function packageDirectory(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
