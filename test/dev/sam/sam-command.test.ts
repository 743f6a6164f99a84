import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { baseImage, envFileText, samLocalInvoke } from '../../../src/dev/sam/sam-command.ts';
import { functionSettings } from '../../../src/worker/environment.ts';
import { stack } from '../../fixtures/application/stack.ts';

const file = z.object({ Parameters: z.record(z.string(), z.string()) });
const { Parameters } = file.parse(
  JSON.parse(envFileText({ tableName: 'app', port: 8000, ministackPort: 4566 })),
);

describe('the env file for containers', () => {
  test.each(['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify', 'Heartbeat'] as const)(
    'contains everything that %s needs, and only local values',
    (name) => {
      expect(functionSettings(name, Parameters).local).toBe(true);
    },
  );

  test('sets nothing that the stack does not declare', () => {
    const text = JSON.stringify(stack);
    expect(Object.keys(stack.Parameters)).toContain('Architecture');
    for (const name of Object.keys(Parameters)) expect(text).toContain(`"${name}":`);
  });
});

describe('the command', () => {
  const architecture = `Architecture=${process.arch === 'arm64' ? 'arm64' : 'x86_64'}`;
  const common = [
    '--env-vars',
    '.denorm/sam-env.json',
    '--region',
    'us-east-1',
    '--parameter-overrides',
    architecture,
  ];

  test('adds the host if the engine does not, and names the processor of this machine', () => {
    expect(samLocalInvoke('Propagate', 'e.json', '.denorm', '172.17.0.1')).toEqual([
      ...['local', 'invoke', 'Propagate', '--event', 'e.json', ...common],
      ...['--add-host', 'host.docker.internal:host-gateway'],
    ]);
  });

  test('is shorter with Docker Desktop', () => {
    expect(samLocalInvoke('Verify', 'e.json', '.denorm', undefined)).toEqual([
      ...['local', 'invoke', 'Verify', '--event', 'e.json', ...common],
    ]);
  });
});

test('the image is that of the runtime', () => {
  expect(JSON.stringify(stack)).toContain('"nodejs24.x"');
  expect(baseImage()).toMatch(/^public\.ecr\.aws\/lambda\/nodejs:24-(arm64|x86_64)$/);
});
