import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';

/** A file of this package, which has the same path in a checkout and in the published package. */
const inPackage = (path: string) => new URL(`../../${path}`, import.meta.url);

export function packageFile(path: string): string {
  return readFileSync(inPackage(path), 'utf8');
}

/** The files in a folder of this package and below, from that folder. */
export function packageFiles(folder: string): readonly string[] {
  return readdirSync(inPackage(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/').split(`/${folder}/`).at(-1) ?? '',
    )
    .toSorted();
}

const versions = z.record(z.string(), z.string());
const manifestSchema = z.object({
  version: z.string(),
  engines: versions,
  peerDependencies: versions,
  devDependencies: versions,
});

export function packageManifest(): z.output<typeof manifestSchema> {
  return manifestSchema.parse(JSON.parse(packageFile('package.json')));
}

export const { version } = packageManifest();
