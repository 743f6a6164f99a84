import { expect, test } from 'vitest';
import { bridgeAddress, type Docker } from '../../../src/dev/sam/open-for-containers.ts';

/** A `docker` with these answers; undefined if it fails. */
function docker(system: string | undefined, ranges?: string): Docker {
  return async ([first]) => {
    const answer = first === 'info' ? system : ranges;
    if (answer !== undefined) return answer;
    throw Object.assign(new Error('Command failed'), { stderr: 'warning\npermission denied\n', code: 1 });
  };
}

const debian = 'Debian GNU/Linux 12 (bookworm)\n';

test.each(['darwin', 'win32'])(
  'a container on %s reaches this machine through the engine’s own forwarding',
  async (platform) => {
    expect(await bridgeAddress(platform, () => expect.fail('asked'))).toBeUndefined();
  },
);

test('a container on Linux with Docker Desktop does so in the same way', async () => {
  expect(await bridgeAddress('linux', docker('Docker Desktop\n'))).toBeUndefined();
});

test.each([
  ['the gateway of its bridge', '172.17.0.1 172.17.0.0/16\n', '172.17.0.1'],
  ['the IPv4 address of several', 'fd00::1 fd00::/64\n10.7.0.1 10.7.0.0/24\n', '10.7.0.1'],
  ['the first address of a bridge without a gateway', ' 172.17.0.0/16\n', '172.17.0.1'],
])('a container on Linux reaches this machine through %s', async (_, ranges, bridge) => {
  expect(await bridgeAddress('linux', docker(debian, ranges))).toBe(bridge);
});

test.each([
  [
    'no engine answers',
    docker(undefined),
    'sam.no-engine',
    '`docker info` reaches, but it does not (permission denied)',
  ],
  [
    'the network does not exist',
    docker(debian),
    'sam.no-engine',
    '`docker network` reaches, but it does not (permission denied)',
  ],
  ['its address is public', docker(debian, '203.0.113.7 203.0.113.0/24\n'), 'sam.no-bridge', '`bip`'],
  ['its address is unspecified', docker(debian, '0.0.0.0 0.0.0.0/0\n'), 'sam.no-bridge', '`bip`'],
  ['it has no range', docker(debian, '<no value>'), 'sam.no-bridge', '`bip`'],
])('a container on Linux does not reach this machine if %s', async (_, run, code, reason) => {
  await expect(bridgeAddress('linux', run)).rejects.toMatchObject({
    name: 'LocalError',
    code,
    message: expect.stringContaining(reason),
  });
});
