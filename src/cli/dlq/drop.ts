import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { type LetterLine, linesOf } from '../../dead-letters/dead-letter-groups.ts';
import { loadRules } from '../../rules/index.ts';
import { counted } from '../output/counted.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { type Letters, type LettersOptions, lookAtAll, withLetters, withLettersOptions } from './dead-letters.ts';
import { letterJson, lettersTable } from './line.ts';
import { type SelectionOptions, selected, withSelection } from './selection.ts';

interface DropOptions extends LettersOptions, SelectionOptions {
  readonly yes?: true;
  readonly json?: true;
}

/** `denorm dlq drop` */
export function dropCommand(): Command {
  return withSelection(withLettersOptions(new Command('drop')))
    .description('Takes letters out of the queue for good, and does nothing else.')
    .option('--yes', 'does not ask first; needed where nobody can be asked')
    .option('--json', 'what was dropped as one JSON object, for machines')
    .addHelpText('after', helpAfter)
    .action((options: DropOptions) => withLetters(options, (letters) => drop(letters, options)));
}

const helpAfter = `
Copies stay as they are: what a dropped letter asked for is done by the next change of its root, or by \`denorm repair\`.`;

async function drop(letters: Letters, options: DropOptions): Promise<void> {
  const lines = selected(
    linesOf((await lookAtAll(letters)).letters),
    options,
    loadRules({ statusShards: 1, disabled: [] }),
  );
  const condemned = lines.flatMap((line) => line.letters);
  const agreed = condemned.length === 0 || options.yes === true || (await confirmed(letters, lines));
  const isDropped = agreed && !letters.interruption.asked();
  if (isDropped) await letters.reader.remove(condemned);
  if (options.json)
    console.log(JSON.stringify({ dropped: isDropped ? lines.map(letterJson) : [] }, undefined, 2));
  else if (condemned.length === 0) console.log(`No such letter lies in ${letters.name}`);
  else console.log(isDropped ? `dropped  ${count(lines)}` : 'dropped  nothing');
  process.exitCode = isDropped ? exitCodes.fine : exitCodes.failed;
}

/** Shows what would be gone, and asks. @throws UsageError where nobody is there to answer */
async function confirmed({ name }: Letters, lines: readonly LetterLine[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'usage.yes',
      `Expected --yes, because nobody can be asked here: ${count(lines)} would be gone from ${name} for good`,
    );
  console.error(lettersTable(lines, Date.now()));
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const unasked = new AbortController();
  asking.on('SIGINT', () => unasked.abort());
  try {
    const question = `Drop ${count(lines)} from ${name} for good? [y/N] `;
    return /^y(es)?$/i.test((await asking.question(question, { signal: unasked.signal })).trim());
  } catch {
    return false;
  } finally {
    asking.close();
  }
}

function count(lines: readonly LetterLine[]): string {
  const letters = lines.reduce((sum, line) => sum + line.letters.length, 0);
  return `${counted(letters, 'letter')} about ${counted(lines.length, 'thing')}`;
}
