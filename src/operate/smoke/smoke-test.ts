import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { StreamFunction } from '../dead-letters/failed-batch.ts';

/** What must come to hold of an item: each of these attributes, an undefined one missing; or that it is gone. */
export interface Expected {
  readonly key: ItemKey;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>> | 'gone';
}

/** What an application does, and what follows. */
export interface Step {
  readonly does: 'creation' | 'change' | 'removal';
  readonly puts: readonly Item[];
  readonly removes: readonly ItemKey[];
  readonly expected: readonly Expected[];
  /** Whether an object of the archive has the state of its item, or is gone. */
  readonly objects: readonly {
    readonly objectKey: string;
    readonly key: ItemKey;
    readonly stored: boolean;
  }[];
  /** As Lambda delivers the change. */
  readonly records: readonly object[];
}

/** What proves a rule, an aggregate or an archive rule on a deployed stack. */
export interface SmokeTest {
  readonly rule: string;
  readonly reader: StreamFunction;
  readonly steps: readonly Step[];
  /** Of items and objects that the functions may make. */
  readonly made: { readonly keys: readonly ItemKey[]; readonly objectKeys: readonly string[] };
  /** How long the rule may wait by itself, in seconds. */
  readonly every: number;
}

/** `unproven`: nothing could be tried, or the service does not say. `off`: a parameter of the stack switches it off. */
export type Status = 'proven' | 'failed' | 'unproven' | 'off';

export interface Line {
  /** The name of a rule, or a part of the stack. */
  readonly check: string;
  readonly of: 'rule' | 'stack';
  readonly status: Status;
  /** What was found and, if it failed, what to do. Never item content. */
  readonly detail: string;
}
