/** The endpoint and the region that the AWS CLI would use. The SDK itself ignores `AWS_DEFAULT_REGION`. */
export function namedConnection(environment: NodeJS.ProcessEnv = process.env): {
  readonly endpoint?: string;
  readonly region?: string;
} {
  const ignored = environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const url = ignored ? undefined : environment['AWS_ENDPOINT_URL'] || undefined;
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || undefined;
  return { ...(url !== undefined && { endpoint: url }), ...(region !== undefined && { region }) };
}

/** Whether the environment names credentials: then no others are assumed. */
export function namesCredentials(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

/** The config to use instead of one in or above the working folder. */
export function configFileNamed(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['DENORM_CONFIG'] || undefined;
}

/** The process whose end must end this one. */
export function launcherPid(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const pid = Number(environment['DENORM_PARENT_PID']);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/** The environment to give to a program that a command starts. */
export function wholeEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
