import type { ChangeView, RuleOfChange } from '../protocol/changes.ts';
import type { Key } from '../protocol/project.ts';

/** What a browser would obey or hide, such as marks that turn the order of letters: each is shown as an escape. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (sign) =>
    [...sign].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
  );
}

export function keyText({ pk, sk }: Key): string {
  return visible(`${pk} / ${sk}`);
}

/** A value of DynamoDB JSON as people write it; the same text for equal values alone. */
export function valueText(value: unknown): string {
  return visible(plain(value));
}

function plain(value: unknown): string {
  const [type, content] = typeOf(value);
  const members = Array.isArray(content) ? content : [];
  if (type === 'S') return JSON.stringify(content);
  if (type === 'B') return `binary ${content}`;
  if (type === 'L') return `[${members.map(plain).join(', ')}]`;
  // Members of a set and keys of a map come in any order.
  if (type === 'SS')
    return `set of ${members
      .map((one) => JSON.stringify(one))
      .sort()
      .join(', ')}`;
  if (type === 'NS' || type === 'BS')
    return `set of ${type === 'BS' ? 'binary ' : ''}${members.sort().join(', ')}`;
  if (type !== 'M') return String(content);
  const entries = Object.entries(content ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}: ${plain(member)}`).join(', ')}}`;
}

/** The type and the content of a value: `['S', 'Ada']`. */
export function typeOf(value: unknown): readonly [string, unknown] {
  return Object.entries(value ?? {})[0] ?? ['', 'missing'];
}

export function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** `1 copy`, `3 copies`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 10_000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
}

export function time(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}

/** `5 written, 1 unchanged`: every count above zero. */
export function countsText({ counts, asks, state, copies }: RuleOfChange): string {
  const words: readonly (readonly [keyof RuleOfChange['counts'], string])[] = [
    ['written', asks === 'archive' ? 'archived' : 'written'],
    ['removed', 'removed'],
    ['unchanged', 'unchanged'],
    ['retried', 'retried'],
    ['deadLettered', 'dead-lettered'],
    ['orphans', 'without a root'],
  ];
  const above = words
    .filter(([name]) => counts[name] > 0)
    .map(([name, word]) => `${number(counts[name])} ${word}`);
  // A fan-out goes on by the queue: that is no failure.
  if (state === 'running') above.push(copies === undefined ? 'more to come' : `of about ${number(copies)}`);
  if (above.length > 0) return above.join(', ');
  if (asks === 'check') return 'checked';
  if (asks === 'nothing') return 'does not match';
  return state === 'done' ? 'nothing to write' : 'waiting';
}

const verbs = { INSERT: 'put', MODIFY: 'changed', REMOVE: 'deleted' } as const;

export function eventText({ event, expired, byWorker }: ChangeView): string {
  const verb = expired ? 'expired' : verbs[event];
  return byWorker ? `${verb} by the worker` : verb;
}

export function kindText(kinds: readonly string[]): string {
  return kinds.join(' and ') || 'of no kind';
}
