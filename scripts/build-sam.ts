/** `npm run build:sam`: builds the stack, and says how large each function is and what it is made of. */
import { buildStack } from './build-stack.ts';
import { bundles } from './bundles.ts';

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

await buildStack();
for (const { id, bytes, gzipped, parts } of await bundles()) {
  console.log(`${id}: ${kilobytes(bytes)}, ${kilobytes(gzipped)} zipped`);
  const shown = parts.slice(0, 12);
  const rest = parts.slice(12).reduce((sum, [, size]) => sum + size, 0);
  for (const [name, size] of [...shown, [`${parts.length - shown.length} others`, rest] as const])
    console.log(`  ${kilobytes(size).padStart(7)}  ${name}`);
}
