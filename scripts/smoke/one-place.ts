import { UsageError } from '../../src/cli/errors.ts';

/** A service, and the host that is asked for it. */
export interface Asked {
  readonly what: string;
  readonly host: string;
}

/** Of every partition of AWS. Source: AWS, "AWS service endpoints", and the SDK's partitions. */
const awsHost = /(^|\.)(amazonaws\.(com|com\.cn|eu)|api\.aws|api\.amazonwebservices\.(com\.cn|eu))$/;

/**
 * Middleware for the step `finalizeRequest` of a client: notes which host its requests go to, whatever named it, an
 * option, the environment or a profile.
 */
export function noteHost(what: string, asked: Asked[]) {
  return <Args extends object, Output>(next: (args: Args) => Promise<Output>) =>
    (args: Args): Promise<Output> => {
      const request = 'request' in args ? args.request : undefined;
      if (typeof request === 'object' && request !== null && 'hostname' in request)
        asked.push({ what, host: String(request.hostname) });
      return next(args);
    };
}

/** The hosts that a deployed function's own settings name. */
export function askedByFunction(name: string, environment: Readonly<Record<string, string>>): Asked[] {
  return Object.entries(environment)
    .filter(([variable, value]) => variable.startsWith('AWS_ENDPOINT_URL') && value !== '')
    .map(([variable, value]) => ({
      what: `${variable} of ${name}`,
      host: URL.parse(value)?.hostname ?? value,
    }));
}

/**
 * Refuses to work where some services are AWS and others are not: items would be written to one place and looked for in
 * the other.
 * @throws UsageError `stack.mixed` naming both groups
 */
export function refuseMixture(asked: readonly Asked[]): void {
  const others = asked.filter(({ host }) => !awsHost.test(host));
  if (others.length === 0 || others.length === asked.length) return;
  const real = asked.filter((one) => !others.includes(one));
  const names = (group: readonly Asked[]) =>
    [...new Set(group.map(({ what, host }) => `${what} (${host})`))].join(', ');
  throw new UsageError(
    'stack.mixed',
    `Expected every service of the stack in one place, found ${names(real)} in AWS, but ${names(others)} elsewhere: ` +
      'unset the AWS_ENDPOINT_URL variables of your environment, profile or function, or name one endpoint for all by --endpoint',
  );
}
