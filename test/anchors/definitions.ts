import { parse } from '@babel/parser';
import type { ClassBody, Statement } from '@babel/types';

/** A function, class, class member or constant at the top level of a file. Offsets count characters of the source. */
export interface Definition {
  /** `name`, or `Class.member`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The same files are asked for again and again. */
const parsed = new Map<string, readonly Definition[]>();

/** What a file of TypeScript defines, in its order; a class comes before its members. `export` is not part of it. */
export function definitionsIn(source: string): readonly Definition[] {
  const known = parsed.get(source) ?? parsedBody(source).flatMap(definitionsOf);
  parsed.set(source, known);
  return known;
}

/** The innermost definition at this place of a file; undefined where there is none. */
export function definitionAt(source: string, offset: number): string | undefined {
  return definitionsIn(source).findLast(({ start, end }) => start <= offset && offset < end)?.name;
}

function parsedBody(source: string): readonly Statement[] {
  return parse(source, { sourceType: 'module', plugins: ['typescript'], attachComment: false }).program.body;
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
