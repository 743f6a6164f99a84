import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Debian's chromium. Without it the test fails: a suite that skips proves nothing. */
export async function openChromium(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`Expected chromium at ${executablePath}, found none: run apt-get install chromium`);
  // Without its sandbox it runs as root too, as in a container; it opens no page but ours.
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
