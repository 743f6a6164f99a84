import { expect, test } from 'vitest';
import { startMiniStack } from '../../../src/dev/sam/open-for-containers.ts';

test('an emulator that is not installed is reported, with the command that installs it', async () => {
  await expect(startMiniStack(process.env, 'no-such-program')).rejects.toMatchObject({
    code: 'sam.no-ministack',
    message: expect.stringMatching(/no-such-program.*ENOENT.*pipx install ministack/),
  });
});
