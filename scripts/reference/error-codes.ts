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

const isCode = /^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/;

/** Every error code of the source, in order. */
export function errorCodes(): readonly string[] {
  const withMessage = new Set<string>();
  const literals = new Set<string>();
  for (const path of globSync('src/**/*.ts', { cwd: projectFolder }).sort()) {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    const tree = parse(text, { sourceType: 'module', plugins: ['typescript'] });
    traverseFast(tree, (node) => {
      if (isStringLiteral(node) && isCode.test(node.value)) literals.add(node.value);
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
      const code = codeIn(node.arguments);
      if (code !== undefined) withMessage.add(code);
    });
  }
  // Names of files and of fields look like codes; their first words are those of no error.
  const subjects = new Set([...withMessage].map((code) => code.split('.')[0]));
  const codes = [...literals].filter(
    (code) => subjects.has(code.split('.')[0]) && !/\.(ts|json|at|html|db)$/.test(code),
  );
  return codes.sort();
}

/** A code among the arguments, with text after it. */
function codeIn(found: CallExpression['arguments']): string | undefined {
  const at = found.findIndex((one) => isStringLiteral(one) && isCode.test(one.value));
  const [code, message] = [found[at], found[at + 1]];
  return code !== undefined && isStringLiteral(code) && isSentence(message) ? code.value : undefined;
}

function isSentence(node: Node | undefined): boolean {
  if (isStringLiteral(node)) return node.value.includes(' ');
  return isTemplateLiteral(node) && node.quasis.some(({ value }) => value.raw.includes(' '));
}
