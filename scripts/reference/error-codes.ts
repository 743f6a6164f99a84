import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import {
  type CallExpression,
  isStringLiteral,
  isTemplateLiteral,
  type Node,
  traverseFast,
} from '@babel/types';
import { projectFolder } from '../python-tools.ts';

/** A code, and the message that the source gives with it; undefined if it is composed elsewhere. */
export interface ErrorCode {
  readonly code: string;
  readonly message: string | undefined;
}

const isCode = /^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/;

/** Every error code of the source, in order. */
export function errorCodes(): readonly ErrorCode[] {
  const messages = new Map<string, string>();
  const literals = new Set<string>();
  for (const path of globSync('src/**/*.ts', { cwd: projectFolder }).sort()) {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    const tree = parse(text, { sourceType: 'module', plugins: ['typescript'] });
    traverseFast(tree, (node) => {
      if (isStringLiteral(node) && isCode.test(node.value)) literals.add(node.value);
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
      const [code, message] = codeIn(node.arguments);
      if (code !== undefined && message !== undefined && !messages.has(code)) messages.set(code, message);
    });
  }
  // Names of files and of fields look like codes; their first words are those of no error.
  const subjects = new Set([...messages.keys()].map((code) => code.split('.')[0]));
  const codes = [...literals].filter(
    (code) => subjects.has(code.split('.')[0]) && !/\.(ts|json|at|html|db)$/.test(code),
  );
  return codes.sort().map((code) => ({ code, message: messages.get(code) }));
}

/** A code among the arguments, with the text after it. */
function codeIn(found: CallExpression['arguments']): readonly [code?: string, message?: string] {
  const at = found.findIndex((one) => isStringLiteral(one) && isCode.test(one.value));
  const [code, message] = [found[at], found[at + 1]];
  const text = message === undefined || at < 0 ? undefined : textOf(message);
  return code !== undefined && isStringLiteral(code) && text?.includes(' ') ? [code.value, text] : [];
}

/** A text with an ellipsis for each value. */
function textOf(node: Node): string | undefined {
  if (isStringLiteral(node)) return node.value;
  if (!isTemplateLiteral(node)) return undefined;
  return node.quasis.map(({ value }) => value.cooked ?? '').join('…');
}
