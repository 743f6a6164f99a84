import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildStack } from '../../scripts/build-stack.ts';
import { projectFolder } from '../../scripts/python-tools.ts';
import { startMiniStack } from './ministack.ts';
import { deploy, type Stack } from './stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly endpoint: string;
    readonly stack: Stack;
  }
}

/** Copies that one turn visits in the deployed stack: few, so that a large fan-out need not be very large. */
export const pageLimit = 20;

/** Builds the stack and deploys it to an emulator of its own, once for all files. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  mkdirSync(join(projectFolder, '.aws-sam'), { recursive: true });
  await buildStack();
  const ministack = await startMiniStack();
  try {
    const parameters = { PageLimit: String(pageLimit), SettleDelaySeconds: '1', LogLevel: 'DEBUG' };
    provide('endpoint', ministack.endpoint);
    provide('stack', await deploy(ministack.endpoint, 'denorm-dev', parameters));
    return ministack.stop;
  } catch (error) {
    await ministack.stop();
    throw error;
  }
}
