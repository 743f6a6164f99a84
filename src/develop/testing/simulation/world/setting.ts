import type { Registry } from '../../../../model/registry.ts';
import type { ModelArchive } from '../../table-model/model-archive.ts';
import type { Committed, ModelTable } from '../../table-model/model-table.ts';
import type { Judge } from '../oracle/judge.ts';
import type { Relation } from '../oracle/relation.ts';
import type { TotalsRelation } from '../oracle/totals-relation.ts';
import type { Verdict } from '../oracle/verdict.ts';
import type { Climate } from './climate.ts';

/** What a judge sees of the world. */
export interface Judged {
  readonly table: ModelTable;
  readonly archive: ModelArchive;
  readonly judge: Judge;
  readonly verdict: Verdict;
}

/** The rules that a world runs, how copies follow roots, and what the world is like. */
export interface Setting {
  readonly registry: Registry;
  readonly climate: Climate;
  /** Written, or derived, apart from the code that plans writes. */
  readonly relations: readonly Relation[];
  /** The same of targets and their members. Default: none. */
  readonly totals?: readonly TotalsRelation[];
  /** Judges a change as it takes effect, before the relations do. Default: nothing. */
  readonly watch?: (change: Committed, judged: Judged) => void;
}
