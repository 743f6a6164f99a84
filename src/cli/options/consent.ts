import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { onStopSignal } from '../interruption.ts';
import { printsJson } from '../output/json.ts';

export interface ConsentOptions {
  readonly yes?: true;
}

/** For a command that does nothing but what cannot be undone. Where that is one option of several, the option says it. */
export function withConsent(command: Command): Command {
  return command.option(
    '--yes',
    'does what cannot be undone without asking; required where no terminal can ask',
  );
}

/**
 * Asks on a terminal.
 * @param what the command would do, as a clause: `it deletes 3 dead letters`
 * @throws UsageError `usage.yes` without consent
 */
export async function requireConsent({ yes }: ConsentOptions, what: string, look: string): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY || printsJson)
    throw new UsageError(
      'usage.yes',
      `Expected --yes, because ${what}, which cannot be undone: ${look}, then add --yes`,
    );
  if ((await answerTo(`denorm: ${what}, which cannot be undone. Type yes to go on: `)) === 'yes') return;
  throw new UsageError('usage.yes', 'Expected the answer yes, got another: nothing was changed');
}

/** An empty text where the user ends the input or the command instead. */
function answerTo(question: string): Promise<string> {
  return new Promise((resolve) => {
    // The terminal keeps its own mode, so that Ctrl-C is a signal as at any other time.
    const asked = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    const stopListening = onStopSignal(() => asked.close());
    let answer: string | undefined;
    asked.once('close', () => {
      stopListening();
      if (answer === undefined) process.stderr.write('\n');
      resolve(answer ?? '');
    });
    asked.question(question, (line) => {
      answer = line.trim();
      asked.close();
    });
  });
}
