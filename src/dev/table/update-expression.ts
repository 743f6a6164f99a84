import { ifText } from '../../model/basics/type-of.ts';

/** A clause of an update expression, such as `REMOVE a, #b[1]`. */
export interface Clause {
  /** In capitals: SET, REMOVE, ADD or DELETE; none if the expression begins with anything else. */
  readonly word: string;
  readonly text: string;
  readonly paths: readonly Path[];
}

/** What an action of a clause changes. */
export interface Path {
  /** With the value of ADD or DELETE. */
  readonly text: string;
  /** The names of attributes, not their placeholders, and the indexes of lists. */
  readonly steps: readonly (string | number)[];
}

/** Neither a placeholder nor the rest of a path begins a clause. */
const beginning = /(?<![#:.\w])(?=(?:SET|REMOVE|ADD|DELETE)\s)/i;

/** @param names of the placeholders, `ExpressionAttributeNames` */
export function clausesOf(expression: string, names: Readonly<Record<string, unknown>>): readonly Clause[] {
  return expression
    .replace(/\s+(?=[.[\]])|(?<=[.[])\s+/g, '')
    .split(beginning)
    .map((clause) => {
      const text = clause.trim();
      const [, word = '', actions = ''] = /^(\w+)\s+(.*)$/s.exec(text) ?? [];
      // Nothing but a path stands before the `=` of SET.
      const changed =
        word.toUpperCase() === 'SET'
          ? (actions.match(/[^\s,()=]+(?=\s*=)/g) ?? [])
          : actions.split(',').map((action) => action.trim());
      return { word: word.toUpperCase(), text, paths: changed.map((path) => pathOf(path, names)) };
    });
}

function pathOf(text: string, names: Readonly<Record<string, unknown>>): Path {
  const [path = ''] = text.split(/\s/);
  const steps = path.match(/\[\d+\]|[^.[\]]+/g) ?? [];
  return {
    text,
    steps: steps.map((step) =>
      step.startsWith('[') ? Number(step.slice(1, -1)) : (ifText(names[step]) ?? step),
    ),
  };
}

/** A text for the list whose element is at the end of a path; undefined if there is none. */
export function listOf({ steps }: Path): string | undefined {
  return typeof steps.at(-1) === 'number' ? JSON.stringify(steps.slice(0, -1)) : undefined;
}

/** Puts the removal of an element before those of all elements before it. */
export function fromTheEnd(one: Path, other: Path): number {
  // Up to a list that both paths lead into, they have the same indexes: names need no comparison.
  const [a = [], b = []] = [one, other].map(({ steps }) => steps.filter((step) => typeof step === 'number'));
  const at = [...a, ...b].findIndex((_, place) => a[place] !== b[place]);
  return (b[at] ?? -1) - (a[at] ?? -1);
}
