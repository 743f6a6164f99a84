import type { Registry } from '../../../../model/registry.ts';
import type { ModelArchive } from '../../table-model/model-archive.ts';
import type { Committed, ModelTable } from '../../table-model/model-table.ts';
import type { Findings } from '../oracle/findings.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Relation } from '../oracle/relation.ts';
import type { TotalsRelation } from '../oracle/totals-relation.ts';
import type { FaultProfile } from './fault-profile.ts';

/** What a oracle sees of the world. */
export interface Observed {
  readonly table: ModelTable;
  readonly archive: ModelArchive;
  readonly oracle: Oracle;
  readonly findings: Findings;
}

/** The rules that a world runs, how copies follow roots, and what the world is like. */
export interface Setting {
  readonly registry: Registry;
  readonly profile: FaultProfile;
  /** Written, or derived, apart from the code that plans writes. */
  readonly relations: readonly Relation[];
  /** The same of targets and their members. Default: none. */
  readonly totals?: readonly TotalsRelation[];
  /** Judges a change as it takes effect, before the relations do. Default: nothing. */
  readonly watch?: (change: Committed, observed: Observed) => void;
}
