import type { Command } from 'commander';
import { localRegion } from '../../develop/dev/loopback.ts';
import { startMiniStack } from '../../develop/dev/sam/ministack.ts';
import { type Guard, startGuard } from '../../develop/dev/table/guard.ts';
import { untilAsked } from '../dev/until-asked.ts';
import { portNumber } from '../options/option-values.ts';

export function emulatorCommand(command: Command): Command {
  return command
    .option('--port <number>', 'port on 127.0.0.1', portNumber, 4566)
    .addHelpText('after', helpAfter)
    .action(emulator);
}

const helpAfter = `
Needs what \`denorm setup-sam\` installs. Everything is in memory, and gone with Ctrl-C. Prints what to set in another terminal, where
\`sam deploy\` and \`denorm … --stack <stack>\` then find the emulator in place of AWS: docs/deploy.md.`;

async function emulator({ port }: { readonly port: number }): Promise<void> {
  const stop = untilAsked();
  const ministack = await startMiniStack(port);
  let guard: Guard | undefined;
  try {
    guard = await startGuard(ministack.endpoint, port);
    console.log(`ready ${guard.endpoint}

In another terminal:
  export AWS_ENDPOINT_URL=${guard.endpoint} AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
  export AWS_REGION=${localRegion} AWS_DEFAULT_REGION=${localRegion}`);
    const why = await Promise.race([stop, ministack.failed]);
    console.error(`denorm: ends because of ${why}`);
  } finally {
    await guard?.close();
    await ministack.stop();
  }
}
