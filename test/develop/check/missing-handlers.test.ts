import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withExtra } from '../../../src/deploy/extra-template.ts';
import { missingHandlers } from '../../../src/develop/check/missing-handlers.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('functions whose files are missing are named, with the maker of those of the package', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'handlers'));
  for (const name of ['propagate', 'archive', 'sweep', 'verify'])
    writeFileSync(join(folder, `handlers/${name}.ts`), '');
  const own = withExtra(
    stack,
    `Resources:
  Own:
    Type: AWS::Serverless::Function
    Metadata: { BuildProperties: { EntryPoints: [own.ts] } }
    Properties: { CodeUri: lambdas }
`,
  );

  expect(missingHandlers(folder, own)).toEqual([
    { id: 'FanOut', file: 'handlers/fan-out.ts', maker: 'fanOutHandler' },
    { id: 'Own', file: 'lambdas/own.ts', maker: undefined },
  ]);
});
