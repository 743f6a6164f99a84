import { expect, test } from 'vitest';
import { devTemplate } from '../../../src/develop/dev/dev-environment.ts';
import { readTemplate } from '../../../src/develop/dev/template.ts';
import { templatePath } from '../../fixtures/application/paths.ts';

test('a dev environment has the settings of the template, but does not wait for the batching window', () => {
  const { functions } = readTemplate(templatePath);

  expect(functions.Propagate.mapping.MaximumBatchingWindowInSeconds).toBe(1);
  expect(devTemplate(templatePath).functions.Propagate.mapping).toEqual({
    ...functions.Propagate.mapping,
    MaximumBatchingWindowInSeconds: 0,
  });
});
