import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import * as z from 'zod';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { LocalError, messageOf } from '../errors.ts';
import { containerReach, hostName } from './container-reach.ts';
import { runProgram } from './run.ts';
import { envFile, samLocalInvoke, samProgram } from './sam-command.ts';

export interface InContainerOptions {
  /** Logical ID of a function in `template.yaml`. */
  readonly name: string;
  /** The event's file; undefined for a function that takes any event. */
  readonly event: string | undefined;
  /** Folder with the env file of `denorm dev --sam`. */
  readonly stateDir: string;
  /** More options for `sam local invoke`. */
  readonly more: readonly string[];
}

/** The result of a function in a container. */
export interface InContainerOutcome {
  /** The function's response, as SAM CLI prints it. */
  readonly answer: string;
  /** Why it failed. Undefined if it succeeded. */
  readonly failure: string | undefined;
}

const built = '.aws-sam/build/template.yaml';

/**
 * Runs a built function in a container with `sam local invoke`, writes its log to stderr, and evaluates its
 * response.
 * @throws LocalError if a requirement is missing that `sam local invoke` would not name
 */
export async function invokeInContainer(options: InContainerOptions): Promise<InContainerOutcome> {
  const { name, event, stateDir, more } = options;
  if (!existsSync(built))
    throw new LocalError(
      'sam.not-built',
      `Expected built functions in ${built}, found none: run \`sam build\`.`,
    );
  await requireServices(envFile(stateDir));
  const reach = await containerReach(process.platform, runProgram);
  const program = samProgram();
  const { code, stdout, stderr } = await run(program, [
    ...samLocalInvoke(name, event, stateDir, reach),
    ...more,
  ]);
  const answer = stdout.trim();
  return { answer, failure: failureOf(code, answer, stderr) };
}

const envFileSchema = z.object({ Parameters: z.record(z.string(), z.string()) });

/**
 * Verifies that the env file exists and that its endpoints are listening. A container would only report a
 * refused connection.
 */
async function requireServices(path: string): Promise<void> {
  const { Parameters } = readEnvFile(path);
  const endpoints = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_SQS'].flatMap(
    (name) => {
      const url = URL.parse(Parameters[name] ?? '');
      return url?.hostname === hostName ? [Number(url.port)] : [];
    },
  );
  for (const port of new Set(endpoints))
    if (!(await listens(port)))
      throw new LocalError(
        'sam.unreachable',
        `Expected what ${path} names to listen on 127.0.0.1:${port}, and nothing does: start \`npx denorm dev --sam\` again.`,
      );
}

function readEnvFile(path: string): z.output<typeof envFileSchema> {
  try {
    return envFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new LocalError(
      'sam.no-env-file',
      `Expected the env file ${path}, which cannot be used (${error instanceof z.ZodError ? 'no Parameters' : messageOf(error)}): ` +
        'start `npx denorm dev --sam --no-worker` in another terminal, which writes it.',
      error,
    );
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Runs SAM CLI, and shows its log as it is written. */
function run(
  program: string,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
      process.stderr.write(text);
    });
    child.on('error', (error) =>
      reject(
        new LocalError(
          'sam.no-program',
          `Expected to start ${program}, which failed (${messageOf(error)}): run \`npx denorm setup-sam\`, or put \`sam\` on the PATH.`,
          error,
        ),
      ),
    );
    child.on('close', (code) => resolve({ code: code ?? 1, ...said }));
  });
}

const failed = z.object({ errorType: z.string(), errorMessage: z.string().optional() });
const batch = z.object({ batchItemFailures: z.array(z.unknown()) });

/**
 * Why an invocation failed. SAM CLI exits with 0 even if the function failed.
 * @param answer the function's response; empty if it did not respond in time
 */
export function failureOf(code: number, answer: string, log: string): string | undefined {
  // SAM CLI 1.170 reports an image for another processor only in this way, after the function's whole
  // timeout.
  if (/exec format error|No response from invoke container/i.test(log + answer))
    return 'its container did not answer: check that the image is of the processor of this machine';
  if (code !== 0) return `\`sam local invoke\` ended with ${code}`;
  const said = jsonOrUndefined(answer);
  const error = failed.safeParse(said);
  if (error.success)
    return `the function ended with ${error.data.errorType}: ${error.data.errorMessage ?? ''}`;
  const items = batch.safeParse(said).data?.batchItemFailures.length ?? 0;
  if (items > 0)
    return `${items} of the records failed: their reasons are in the log, in lines with the message "failed"`;
  return said === undefined ? 'the function gave no answer: it was ended, or ran out of time' : undefined;
}
