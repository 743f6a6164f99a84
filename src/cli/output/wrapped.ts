import { Help } from 'commander';

const helper = Object.assign(new Help(), { minWidthToWrap: 20 });

/** JSON, tables and commands to paste: a line break would make them something else. */
const whole = /^\s*(\$ |export |sam local |["{[\]}┌│├└])/;

/** The words before a first gap of two spaces, and the gap; styles may be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const label = /^ *(?:\S+ )*?\S+ {2,}(?:\u001b\[\d{1,2}m *)*/;

export function textWidth(text: string): number {
  return helper.displayWidth(text);
}

/** A line of at most this width: wrapped at words, and indented to the text behind its label if every word fits there. */
export function wrapped(line: string, width: number): string {
  if (textWidth(line) <= width || whole.test(line)) return line;
  const [labelled = ''] = label.exec(line) ?? [];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const besides = textWidth(labelled);
  const longest = Math.max(...line.slice(labelled.length).split(/\s+/).map(textWidth));
  const isLabelled = besides > 0 && besides <= width / 2 && besides + longest <= width;
  const lead = isLabelled ? labelled : indent;
  const hanging = isLabelled ? besides : Math.min(textWidth(indent), width / 2) + 2;
  const lines = helper.boxWrap(line.slice(lead.length), width - hanging).split('\n');
  return lead + lines.join(`\n${' '.repeat(hanging)}`);
}

/** For a terminal, each paragraph of a text on one line, at whatever width it was written. Indented lines stay lines. */
export function paragraphs(text: string): string {
  if (!process.stdout.columns) return text;
  return text.replaceAll(/(?<=[^\s:])\n(?=[^\s$])/g, ' ');
}
