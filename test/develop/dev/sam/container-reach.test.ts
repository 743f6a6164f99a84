import { describe, expect, test } from 'vitest';
import { LocalError } from '../../../../src/develop/dev/errors.ts';
import { containerReach } from '../../../../src/develop/dev/sam/container-reach.ts';
import type { ProgramOutcome, RunProgram } from '../../../../src/develop/dev/sam/run.ts';

const ended = (code: number | undefined, stdout = ''): ProgramOutcome => ({ code, stdout, stderr: '' });

/** A `docker` with this answer. */
function docker(info: ProgramOutcome, network: ProgramOutcome = ended(1)): RunProgram {
  return async (program, [first]) => {
    expect(program).toBe('docker');
    return first === 'info' ? info : network;
  };
}

const debian = ended(0, 'Debian GNU/Linux 12 (bookworm)\n');

describe('a container reaches this machine', () => {
  test.each(['darwin', 'win32'])(
    'on %s through the engine’s own forwarding, without a request to any program',
    async (platform) => {
      expect(await containerReach(platform, () => expect.fail('asked'))).toEqual({ bridge: undefined });
    },
  );

  test('on Linux with Docker Desktop in the same way', async () => {
    expect(await containerReach('linux', docker(ended(0, 'Docker Desktop\n')))).toEqual({
      bridge: undefined,
    });
  });

  test.each([
    ['the gateway of its bridge', '[{"Subnet":"172.17.0.0/16","Gateway":"172.17.0.1"}]', '172.17.0.1'],
    ['the IPv4 address of several', '[{"Gateway":"fd00::1"},{"Gateway":"10.7.0.1"}]', '10.7.0.1'],
    ['the first address of a bridge without a gateway', '[{"Subnet":"172.17.0.0/16"}]', '172.17.0.1'],
  ])('on Linux through %s', async (_, config, bridge) => {
    expect(await containerReach('linux', docker(debian, ended(0, config)))).toEqual({ bridge });
  });

  test.each([
    [
      'the command `docker` is missing',
      docker(ended(undefined)),
      'sam.no-engine',
      'there is no command `docker`',
    ],
    ['no engine answers', docker(ended(1)), 'sam.no-engine', 'none answers'],
    ['the network does not exist', docker(debian), 'sam.no-bridge', '`bip`'],
    [
      'its address is public',
      docker(debian, ended(0, '[{"Gateway":"203.0.113.7"}]')),
      'sam.no-bridge',
      '`bip`',
    ],
    [
      'its address is unspecified',
      docker(debian, ended(0, '[{"Gateway":"0.0.0.0"}]')),
      'sam.no-bridge',
      '`bip`',
    ],
    ['it does not answer in JSON', docker(debian, ended(0, '<no value>')), 'sam.no-bridge', '`bip`'],
  ])('on Linux not if %s', async (_, run, code, said) => {
    const error = await containerReach('linux', run).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LocalError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(said) });
  });
});
