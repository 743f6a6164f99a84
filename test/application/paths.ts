import { fileURLToPath } from 'node:url';

/** The template of the tests' application. */
export const templatePath = fileURLToPath(new URL('template.yaml', import.meta.url));
