import { namedProject } from '../project.ts';

/** Options that say where the table is, as all commands on a table take them. */
const places = ['stage', 'stack', 'table', 'endpoint', 'region', 'profile'] as const;

export interface PlaceOptions extends Readonly<Partial<Record<(typeof places)[number], string | undefined>>> {
  readonly parameter?: Readonly<Record<string, string>> | undefined;
}

/** A command that ends the pause of a rule: it takes no parameters. */
export function resumeCommandOn(rule: string, options: PlaceOptions): string {
  return commandOn(['resume', '--rule', rule], { ...options, parameter: undefined });
}

/** A line to paste: {@link commandOn}. */
export function nextCommand(words: readonly string[], options: PlaceOptions): string {
  return `$ ${commandOn(words, options)}`;
}

/**
 * A command on the table of the command that names it.
 * @param options as they were given, without what a stage or stack stands for
 */
export function commandOn(words: readonly string[], options: PlaceOptions): string {
  const config = namedProject();
  const { parameter = {} } = options;
  const given = [
    ...places.map((name) => [name, options[name]] as const),
    ...Object.entries(parameter).map(([name, value]) => ['parameter', `${name}=${value}`] as const),
    ['config', config] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return commandOf([...words, ...given]);
}

/** A line to paste: the command line that was typed, with other words in place of some. */
export function typedCommand(replaced: Readonly<Record<string, readonly string[]>>): string {
  const words = process.argv.slice(2);
  for (const [word, others] of Object.entries(replaced))
    if (words.includes(word)) words.splice(words.indexOf(word), 1, ...others);
  return `$ ${commandOf(words)}`;
}

function commandOf(words: readonly string[]): string {
  return `npx denorm ${words.map(quoted).join(' ')}`;
}

/** A word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w.:/=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
