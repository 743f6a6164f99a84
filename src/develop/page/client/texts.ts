import type { ChangeView, RuleOfChange } from '../protocol/changes.ts';
import type { Attributes, Key } from '../protocol/project.ts';

/** A key as the command line writes it. */
export function keyText({ pk, sk }: Key, names: Key): string {
  return JSON.stringify({ [names.pk]: pk, [names.sk]: sk });
}

/** An attribute's value for people: text as it is, everything else as its JSON, the same for equal values. */
export function valueText(attributes: Attributes | undefined, name: string): string | undefined {
  if (attributes === undefined || !Object.hasOwn(attributes, name)) return undefined;
  const [type = '', value] = typeOf(attributes[name]);
  return (type === 'S' || type === 'N') && typeof value === 'string'
    ? value
    : JSON.stringify(ordered(type, value));
}

/** Keys of a map and members of a set come in any order. */
function ordered(type: string, value: unknown): unknown {
  if (!(value instanceof Object)) return value;
  if (Array.isArray(value)) {
    const members: readonly unknown[] = value;
    return type === 'L' ? members.map(orderedValue) : members.toSorted();
  }
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, orderedValue(member)]));
}

function orderedValue(value: unknown): unknown {
  const [type, content] = typeOf(value);
  return { [type]: ordered(type, content) };
}

/** The type and the value of an attribute: `['S', 'Ada']`. */
export function typeOf(value: unknown): readonly [string, unknown] {
  return typeof value === 'object' && value !== null
    ? (Object.entries(value)[0] ?? ['', undefined])
    : ['', undefined];
}

export function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** `1 copy`, `3 copies`. */
export function counted(value: number, one: string, many: string): string {
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
export function countsText({ counts, asks, state }: RuleOfChange): string {
  const words: readonly (readonly [keyof RuleOfChange['counts'], string])[] = [
    ['written', asks === 'archive' ? 'archived' : 'written'],
    ['removed', 'removed'],
    ['unchanged', 'unchanged'],
    ['retried', 'retried'],
    ['deadLettered', 'dead-lettered'],
    ['orphans', 'without a root'],
  ];
  const told = [
    ...words.filter(([name]) => counts[name] > 0).map(([name, word]) => `${number(counts[name])} ${word}`),
    // A fan-out goes on by the queue: that is no failure.
    ...(state === 'running' ? ['more to come'] : []),
  ];
  if (told.length > 0) return told.join(', ');
  if (asks === 'check') return 'checked';
  if (asks === 'nothing') return 'does not match';
  return state === 'done' ? 'nothing to write' : 'waiting';
}

const verbs = { INSERT: 'put', MODIFY: 'changed', REMOVE: 'deleted' } as const;

export function eventText({ event, expired, byWorker }: ChangeView): string {
  const verb = expired ? 'expired' : verbs[event];
  return byWorker ? `${verb} by the worker` : verb;
}
