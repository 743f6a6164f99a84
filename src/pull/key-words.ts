/** Separates the words and ids of a key. A colon between two digits is of a time. */
const marks = /([#|/]|(?<!\d):|:(?!\d))/;

/** A key part as its words and ids, with the marks between them: `['ORDER', '#', '17']`. */
function piecesOf(part: string): readonly string[] {
  return part.split(marks);
}

/** At most so many pieces: the last one has the rest. */
export function dividedInto(length: number, part: string): readonly string[] {
  const pieces = piecesOf(part);
  return pieces.length <= length
    ? pieces
    : [...pieces.slice(0, length - 1), pieces.slice(length - 1).join('')];
}

/** Stands for an id. */
export const anId = '…';

export const capitals = /^[A-Z][A-Z_]+$/;
const letters = /^[A-Za-z][A-Za-z_]*$/;

/**
 * The shape of a key part, a text for each of its pieces: a word is text, all else an id, of which a prefix may be text: `acct_…`.
 * A word after a word is a value, as in `user#ann`, unless it is in capitals, as in `ORDER#METADATA`. A digit is never text.
 */
export function shapeOf(part: string): readonly string[] {
  const pieces = piecesOf(part);
  // ElectroDB's keys have names and values, `$blog#authorid_ada`, and the version of an entity: `$author_1`.
  const isElectroDb = /^\$[A-Za-z]/.test(part);
  let word: string | undefined;
  return pieces.map((piece, index) => {
    if (index % 2 === 1 || piece === '') return piece;
    const [before, after] = [word, pieces[index + 1]];
    word = undefined;
    if (isElectroDb) return index === 0 ? piece : `${/^[A-Za-z]\w*?_(?=.)/.exec(piece)?.[0] ?? ''}${anId}`;
    if (letters.test(piece) && (before === undefined || capitals.test(piece))) {
      if (after !== undefined) word = piece;
      return piece;
    }
    const [prefix = ''] = /^([A-Za-z]+_|[A-Z]{2,}-)(?=.)/.exec(piece) ?? [];
    return before === undefined ? `${prefix}${anId}` : anId;
  });
}

/** `authorId` and `AUTHOR_ID` name an `author`. */
export function withoutId(name: string): string {
  return name.replace(/(?<=[a-z0-9])I[dD]$|(?<=.)_(id|ID)$/, '');
}

export function isIdName(name: string): boolean {
  return withoutId(name) !== name || name.toLowerCase() === 'id';
}

/** Names are alike that differ in case and signs alone, or of which one ends with the other: `authorName` and `Name`. */
export function areAlike(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)];
  return a !== '' && b !== '' && (a.endsWith(b) || b.endsWith(a));
}

export function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Words as a name of code: `HEAD_TO_HEAD` is `headToHead`. */
export function camelCase(text: string): string {
  const words = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const name = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`,
    )
    .join('');
  return /^\d/.test(name) ? `n${name}` : name;
}

export function pascalCase(text: string): string {
  const name = camelCase(text);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The name, or with a number if it is taken, which it is from then on. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}${number}`;
  taken.add(unique);
  return unique;
}

/** Names that no variable can have. */
export const reservedWords: readonly string[] =
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends false
finally for function if implements import in instanceof interface let new null package private protected public return static
super switch this throw true try typeof undefined var void while with yield`.split(/\s/);
