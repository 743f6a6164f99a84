import { parse } from '@babel/parser';
import type { ClassBody, Statement } from '@babel/types';

/** A function, class, class member or constant at the top level of a file. Offsets count characters of the source. */
export interface Definition {
  /** `name`, or `Class.member`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A piece of source that is neither white space nor a comment. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly is: 'name' | 'template' | 'other';
}

/** The same files are asked for again and again. */
const parsed = new Map<string, readonly Definition[]>();

/** What a file of TypeScript defines, in its order; a class comes before its members. `export` is not part of it. */
export function definitionsIn(source: string): readonly Definition[] {
  const known = parsed.get(source) ?? parseSource(source, false).program.body.flatMap(definitionsOf);
  parsed.set(source, known);
  return known;
}

/** The innermost definition at this place of a file; undefined where there is none. */
export function definitionAt(source: string, offset: number): string | undefined {
  return definitionsIn(source).findLast(({ start, end }) => start <= offset && offset < end)?.name;
}

/** The tokens of a file of TypeScript, in their order. */
export function tokensIn(source: string): Token[] {
  const { tokens } = parseSource(source, true);
  return (tokens ?? []).flatMap(({ type, start, end }: { type: TokenType; start: number; end: number }) => {
    // Comments have a text as their type, and the end of the file and of an empty template have no text of their own.
    if (typeof type === 'string' || start === end) return [];
    const text = source.slice(start, end);
    const isName = type.keyword === undefined && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text);
    return [{ text, start, end, is: type.label === 'template' ? 'template' : isName ? 'name' : 'other' }];
  });
}

type TokenType = string | { readonly label: string; readonly keyword?: string };

function parseSource(source: string, tokens: boolean) {
  return parse(source, { sourceType: 'module', plugins: ['typescript'], attachComment: false, tokens });
}

function definitionsOf(statement: Statement): Definition[] {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      return statement.declaration ? definitionsOf(statement.declaration) : [];
    case 'FunctionDeclaration':
      return statement.id ? [definition(statement.id.name, statement)] : [];
    case 'ClassDeclaration':
      return statement.id
        ? [definition(statement.id.name, statement), ...membersOf(statement.id.name, statement.body)]
        : [];
    case 'VariableDeclaration':
      return statement.declarations.flatMap((declared) =>
        declared.id.type === 'Identifier' ? [definition(declared.id.name, statement)] : [],
      );
    default:
      return [];
  }
}

function membersOf(owner: string, { body }: ClassBody): Definition[] {
  return body.flatMap((member) => {
    switch (member.type) {
      case 'ClassMethod':
      case 'ClassProperty':
        return member.key.type === 'Identifier' ? [definition(`${owner}.${member.key.name}`, member)] : [];
      case 'ClassPrivateMethod':
      case 'ClassPrivateProperty':
        return [definition(`${owner}.#${member.key.id.name}`, member)];
      default:
        return [];
    }
  });
}

interface Extent {
  readonly start?: number | null;
  readonly end?: number | null;
}

function definition(name: string, { start, end }: Extent): Definition {
  return { name, start: start ?? 0, end: end ?? 0 };
}
