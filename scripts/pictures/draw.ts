/** `node bin/node-24.mjs scripts/pictures/draw.ts`: draws the pictures of docs/images. A test compares them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svgOf } from './picture.ts';
import { pictures } from './pictures.ts';

for (const [name, picture] of Object.entries(pictures))
  writeFileSync(fileURLToPath(new URL(`../../docs/images/${name}.svg`, import.meta.url)), svgOf(picture));
