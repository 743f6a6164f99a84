import type { TestProject } from 'vitest/node';
import { buildStack } from '../../scripts/build-stack.ts';
import { startMiniStack } from './ministack.ts';
import { type Cloud, deploy, type Stack } from './stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly cloud: Cloud;
    readonly stack: Stack;
  }
}

/** Copies that one propagation visits in the deployed stack: few, so that a large fan-out need not be very large. */
export const pageLimit = 20;

/** Builds the stack and deploys it to an emulator of its own, once for all files. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await buildStack();
  const ministack = await startMiniStack();
  try {
    const parameters = {
      ...{ PageLimit: String(pageLimit), RecheckDelaySeconds: '1', LogLevel: 'DEBUG' },
      ...{ VerifySamplePercent: '100', VerifyReadUnits: '1000' },
    };
    const cloud = { endpoint: ministack.endpoint, certificate: ministack.certificate };
    provide('cloud', cloud);
    provide('stack', await deploy(cloud, 'denorm-dev', parameters));
    return ministack.stop;
  } catch (error) {
    await ministack.stop();
    throw error;
  }
}
