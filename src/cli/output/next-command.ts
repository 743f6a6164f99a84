import { namedProject } from '../project.ts';

/** Options that say where the table is, as all commands on a table take them. */
const places = ['stage', 'stack', 'table', 'endpoint', 'region', 'profile'] as const;

export interface PlaceOptions extends Readonly<Partial<Record<(typeof places)[number], string | undefined>>> {
  readonly parameter?: Readonly<Record<string, string>> | undefined;
}

/**
 * A line to paste: a command on the table of the command that prints it.
 * @param options as they were given, without what a stage or stack stands for
 */
export function nextCommand(words: readonly string[], options: PlaceOptions): string {
  const config = namedProject();
  const { parameter = {} } = options;
  const given = [
    ...places.map((name) => [name, options[name]] as const),
    ...Object.entries(parameter).map(([name, value]) => ['parameter', `${name}=${value}`] as const),
    ['config', config] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return `$ npx denorm ${[...words, ...given].map(quoted).join(' ')}`;
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w.:/=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
