import type { Matched } from '../../develop/page/server/change-entry.ts';
import type { Change } from '../../model/change.ts';
import type { Registry } from '../../model/registry.ts';
import { rulesOfChange } from '../explain/rules-of-change.ts';
import { keyOfJson } from '../output/text.ts';

/** What each rule makes of a change, as `denorm explain` says. Rules that it does not concern are left out. */
export function matchedRules(registry: Registry) {
  return (change: Change): readonly Matched[] =>
    rulesOfChange(registry, change).flatMap(({ rule, as, asks, why, of }) => {
      const keys = as === 'copy' || as === 'member' ? of.map(keyOfJson) : [change.key];
      const roots = asks === 'nothing' ? [undefined] : keys;
      return roots.map((root) => ({ rule, says: why, asks, root }));
    });
}
