import type { ExplainedWrite } from '../../develop/page/protocol/explanation.ts';
import { isCreation } from '../../model/guarded-write.ts';
import type { WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { keyAsJson } from './text.ts';
import { words } from './visible.ts';

/** A write with its condition: names of attributes, never values. */
export type NamedWrite = Omit<ExplainedWrite, 'writeUnits' | 'values'>;

/** Names are sorted, because DynamoDB returns attributes in any order. */
export function namedWrite({ write, root }: WouldWrite): NamedWrite {
  const key = keyAsJson(write.key);
  const { expect: ofRoot } = root ?? {};
  const rooted = ofRoot !== undefined &&
    ofRoot !== 'head' && { root: ofRoot === 'absent' ? ofRoot : namesOf(ofRoot) };
  if ('set' in write) {
    const { set, remove, expect } = write;
    return { does: 'update', key, set: namesOf(set), remove: remove.toSorted(), expect: namesOf(expect) };
  }
  if (isCreation(write)) return { does: 'create', key, set: namesOf(write.item), remove: [], ...rooted };
  const { clear = [], expect } = write;
  const does = write.clear === undefined ? 'delete' : 'clear';
  return { does, key, set: [], remove: clear.toSorted(), expect: namesOf(expect), ...rooted };
}

export function namesOf(attributes: object): string[] {
  return Object.keys(attributes).sort();
}

/** For example `set Status, if it exists and Status, Total are as read`. */
export function writeText({ set, remove, expect, root }: NamedWrite): string {
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
