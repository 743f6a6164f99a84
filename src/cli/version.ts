import { packageManifest } from './init/package-files.ts';

export const { version } = packageManifest();
