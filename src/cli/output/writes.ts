import type { NamedWrite } from '../../explain/explanation.ts';
import { words } from '../../model/basics/text.ts';

/** For example `set Status, if it exists and Status, Total are as read`. */
export function writeText({ set, remove, expect, root }: Omit<NamedWrite, 'does' | 'key'>): string {
  const changes = [
    ...(set.length > 0 ? [`set ${words(set)}`] : []),
    ...(remove.length > 0 ? [`remove ${words(remove)}`] : []),
  ].join('; ');
  return `${changes}${changes === '' ? '' : ', '}if ${conditionOf(expect)}${rootCondition(root)}`;
}

function conditionOf(expect: NamedWrite['expect']): string {
  if (expect === undefined) return 'no item has its key';
  return expect.length === 0 ? 'it exists' : `it exists and ${asRead(expect)}`;
}

function rootCondition(root: NamedWrite['root']): string {
  if (root === undefined) return '';
  if (root === 'absent') return ', and its root does not exist';
  return `, and its root still exists${root.length === 0 ? '' : ` and ${asRead(root)}`}`;
}

function asRead(names: readonly string[]): string {
  return `${words(names)} ${names.length === 1 ? 'is' : 'are'} as read`;
}
