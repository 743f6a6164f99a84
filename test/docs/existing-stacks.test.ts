import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleOptions } from '../../src/deploy/bundle-options.ts';
import { plainStack } from '../../src/deploy/plain-stack.ts';
import { everything as config } from '../deploy/configs.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const page = read('docs/existing-stacks.md');
const { Resources } = plainStack(config, {});

test('the page on other tools bundles functions as the template does', () => {
  const options = bundleOptions(Resources['Propagate'] ?? expect.fail('no Propagate'), 'handlers');
  const { entryPoints, target, format, mainFields, outfile, banner } = options;
  const text = page.replace(/\s+/g, ' ');

  expect(options).toMatchObject({ bundle: true, platform: 'node', minify: true });
  expect(text).toContain(
    `esbuild ${entryPoints[0]} --bundle --platform=node --target=${target} --format=${format} --minify --main-fields=${mainFields.join()} --outfile=${outfile}`,
  );
  expect(text).toContain(`\`${banner.js}\``);
});

test('its mapping of Terraform sets every property', () => {
  const {
    EventSourceArn: _,
    FunctionName,
    DestinationConfig,
    ...settings
  } = Resources['PropagateStream']?.Properties ?? expect.fail('no mapping');

  expect(page).toContain('event_source_arn ');
  expect(page).toContain('function_name ');
  expect(page).toContain('on_failure { destination_arn = ');
  expect([FunctionName, DestinationConfig]).not.toContain(undefined);
  for (const name of Object.keys(settings)) expect(page).toMatch(new RegExp(`= local\\.stream\\.${name}\\b`));
});
