import type { Change } from '../../../model/change.ts';
import type { Item } from '../../../model/item.ts';

/** Why an item is not of a kind after a change: it never was, it is gone, or its type attribute is another one. */
export type Absence = 'unconcerned' | 'removed' | 'left-kind';

/** What a change makes of an item of a kind: `same` in everything that a rule or an aggregate watches. */
export type Presence = Absence | 'new' | 'differs' | 'same';

/** @param before the image before the change, if it is of the kind. The one after it is not */
export function absenceOf(before: Item | undefined, { after }: Change): Absence {
  if (before === undefined) return 'unconcerned';
  return after === undefined ? 'removed' : 'left-kind';
}
