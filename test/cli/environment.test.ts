import { expect, test } from 'vitest';
import {
  configFileNamed,
  launcherPid,
  namedConnection,
  namesCredentials,
} from '../../src/cli/environment.ts';

const endpoint = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
test.each<[(environment: NodeJS.ProcessEnv) => unknown, NodeJS.ProcessEnv, unknown]>([
  [
    namedConnection,
    { ...endpoint, AWS_REGION: 'a', AWS_DEFAULT_REGION: 'b' },
    { endpoint: endpoint.AWS_ENDPOINT_URL, region: 'a' },
  ],
  [namedConnection, { AWS_ENDPOINT_URL: '', AWS_DEFAULT_REGION: 'b' }, { region: 'b' }],
  [namedConnection, { ...endpoint, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }, {}],
  [namesCredentials, { AWS_ACCESS_KEY_ID: 'a' }, true],
  [namesCredentials, { AWS_PROFILE: 'a' }, true],
  [namesCredentials, { AWS_WEB_IDENTITY_TOKEN_FILE: 'a' }, true],
  [namesCredentials, { AWS_PROFILE: '' }, false],
  [configFileNamed, { DENORM_CONFIG: 'a' }, 'a'],
  [configFileNamed, { DENORM_CONFIG: '' }, undefined],
  [launcherPid, { DENORM_PARENT_PID: '123' }, 123],
  [launcherPid, { DENORM_PARENT_PID: '1' }, undefined],
  [launcherPid, { DENORM_PARENT_PID: '1.5' }, undefined],
  [launcherPid, { DENORM_PARENT_PID: 'x' }, undefined],
  [launcherPid, {}, undefined],
])('%o(%j) is %j', (read, environment, result) => {
  expect(read(environment)).toEqual(result);
});
