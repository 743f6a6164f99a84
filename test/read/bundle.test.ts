import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

test('an application that reads merged pages bundles less than 8 KB', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { mergedPages } from './src/read/index.ts';`,
      resolveDir: repository,
    },
    ...{ absWorkingDir: repository, bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    ...{ minify: true, metafile: true, write: false },
  });
  const sources = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );

  expect(sources.filter((path) => !path.startsWith('src/read/')).toSorted()).toEqual([
    ...[
      'src/model/basics/errors.ts',
      'src/model/items/attribute-value.ts',
      'src/model/items/key-order.ts',
      'src/model/items/table-names.ts',
    ],
  ]);
  expect(outputFiles[0]?.contents.length).toBeLessThan(8_000);
  expect(outputFiles[0]?.contents.length).toBeGreaterThan(2_000);
});
