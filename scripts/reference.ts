/** `node bin/node-24.mjs scripts/reference.ts`: writes docs/reference.md from the code. A test compares the two. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referenceText } from './reference-text.ts';

writeFileSync(fileURLToPath(new URL('../docs/reference.md', import.meta.url)), referenceText());
