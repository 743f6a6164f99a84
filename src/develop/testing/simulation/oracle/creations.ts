import { type Item, type ItemKey, keyText } from '../../../../model/item.ts';
import type { Message } from '../../../../model/message.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import { sameValue } from '../../table-model/same-value.ts';
import type { Findings } from './findings.ts';
import type { Lives } from './lives.ts';
import type { Relation } from './relation.ts';

/**
 * Judges a copy that the worker has just created: it does so in a transaction with a condition on the root, so the copy is
 * what the root says at that moment.
 * @returns the copy's relation and root; undefined if no root places it there
 */
export function checkCreation(
  relations: readonly Relation[],
  table: ModelTable,
  key: ItemKey,
  copy: Item,
  findings: Findings,
): { readonly relation: Relation; readonly root: ItemKey } | undefined {
  const where = keyText(key);
  const [made] = relations.flatMap((relation) => {
    const named = relation.isCopy(copy) ? relation.rootOf(copy) : undefined;
    const root = named && table.read(named);
    const isPlaced = root && relation.placed?.(root).some((one) => keyText(one) === where);
    return named && root && isPlaced ? [{ relation, named, root }] : [];
  });
  if (made === undefined) {
    findings.violated(3, 'the worker makes an item that no root places there', where);
    return undefined;
  }
  const { relation, named, root } = made;
  const wanted = relation.wanted(root, copy);
  if (wanted === undefined || ![...wanted].every(([name, value]) => sameValue(copy[name], value)))
    findings.violated(2, 'the worker makes a copy that is not what its root says', where);
  const { pk, sk, type } = table.names;
  const others = Object.keys(copy).filter((name) => ![pk, sk, type].includes(name) && !relation.writes(name));
  if (others.length > 0) findings.violated(3, `the worker touches ${others.join()}`, where);
  return { relation, root: named };
}

/** Whether another item once had the key of one of the message's copies. */
export function wasTaken(
  relations: readonly Relation[],
  lives: Lives,
  { rule, root, copies = [] }: Message,
): boolean {
  const relation = relations.find((one) => one.rule === rule);
  return copies.some((copy) =>
    lives.of(copy).some(({ item }) => {
      if (relation === undefined || item === undefined) return false;
      const named = relation.isCopy(item) ? relation.rootOf(item) : undefined;
      return named === undefined || keyText(named) !== keyText(root);
    }),
  );
}
