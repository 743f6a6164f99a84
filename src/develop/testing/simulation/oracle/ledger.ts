import { Big } from 'big.js';
import type { Aggregate } from '../../../../model/aggregate.ts';
import { type Item, type ItemKey, keyIn } from '../../../../model/item.ts';
import type { TableNames } from '../../../../model/table-names.ts';

/** The worker's own items of an aggregate with a ledger. */
export function ledgerOf(table: TableNames, { name }: Aggregate) {
  const isOwn = ({ pk }: ItemKey) => pk.startsWith(`~${name}#`);
  return {
    isOwn,
    /** The member whose entry has this key, as text. */
    memberOf(text: string): ItemKey | undefined {
      const [pk = '', sk = ''] = partsIn(text);
      const [memberPk, memberSk] =
        isOwn({ pk, sk }) && sk.startsWith(entry) ? partsIn(sk.slice(entry.length)) : [];
      return memberPk === undefined ? undefined : { pk: memberPk, sk: memberSk ?? '' };
    },
    /** Whether a head is the sum of the entries beside it, as it is at any time. */
    isSum(key: ItemKey, head: Item, items: readonly Item[]): boolean {
      const entries = items.filter((item) => {
        const { pk, sk } = keyIn(table, item);
        return pk === key.pk && sk !== key.sk;
      });
      const names = new Set([head, ...entries].flatMap(Object.keys).filter((one) => /^[+#]/.test(one)));
      return [...names].every((one) => {
        const sum = entries.reduce((all, entry) => all.plus(numberAt(entry, one)), new Big(0));
        return sum.eq(numberAt(head, one));
      });
    },
  };
}

const entry = 'entry#';

/** None if a long key was hashed. */
function partsIn(text: string): readonly string[] {
  const parts: unknown = text.startsWith('[') ? JSON.parse(text) : [];
  return Array.isArray(parts) ? parts.map(String) : [];
}

function numberAt(item: Item, name: string): string {
  const value = item[name];
  return value && 'N' in value ? value.N : '0';
}
