import { kindMessages } from '../../check/check-kinds.ts';
import { counted, visible } from '../../model/basics/text.ts';
import { type AnyKind, isSameKind } from '../../model/kinds/kind.ts';
import { strangersLike, type UsedKind, unmatchedKinds, usedKinds } from '../../model/rules/kind-counts.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import { isInForce, type Registry } from '../../model/rules/registry.ts';
import type { Selection } from '../../worker/verify/candidates.ts';
import { isUncompared, type VerifyState } from '../../worker/verify/verify-state.ts';
import { strangersJson } from '../output/text.ts';

interface FinishedRun {
  readonly registry: Registry;
  readonly selected: Selection;
  readonly command: 'verify' | 'repair' | 'backfill';
  readonly paused: Pauses;
  readonly state: VerifyState;
  /** Copies that were written, removed, right already or left alone: a backfill, which classifies none, has no other count. */
  readonly handled: number;
  /** Whether a share of the table was read: it may lack items of a kind. */
  readonly isSample: boolean;
  /** Whether all that was to be read was read, and it was more than one root. */
  readonly isKnown: boolean;
}

/** What a run looked at, and what it did not. */
export function lookedAt(run: FinishedRun) {
  const { registry, selected, command, state, isSample, isKnown } = run;
  const paused = command === 'backfill' ? [] : [...run.paused].filter(([rule]) => isInForce(registry, rule));
  const disabled = [...registry.disabled.rules, ...registry.disabled.aggregates].map(({ name }) => name);
  const used = isKnown ? usedKinds(selected) : [];
  const sources = [...selected.rules.map(({ root }) => root), ...selected.aggregates.map(({ of }) => of)];
  const hasCopies = (rule: string) => (state.rules[rule]?.copies ?? run.handled) > 0;
  /** What the run has written, or found missing, was not there to be read. */
  const mayLack = ({ kind, users }: UsedKind) =>
    isSample || (!sources.some((one) => isSameKind(one, kind)) && users.some(hasCopies));
  /** Kinds that the run needs, and that nothing is of. */
  const unmatched = unmatchedKinds(used, state.kinds).filter(
    (one) => !mayLack(one) || strangersLike(one.kind, state.kinds).length > 0,
  );
  /** Rules whose kinds have items, and that compared none of them: why, by the rule's name. */
  const uncompared = new Map(isKnown && !isSample ? uncomparedIn(run) : []);
  const nothing = whyNothing(run);
  return {
    /** Whether nothing was looked at by some rule, or at all. */
    isWanting: nothing !== undefined || unmatched.length + uncompared.size > 0,

    json() {
      const { ofNoKind } = state.kinds;
      return {
        ofNoKind,
        strangers: strangersJson(registry.table, state.kinds),
        lookedAtNothing: unmatched.map(({ kind, users }) => ({ kind: kind.name, rules: users })),
        comparedNothing: [...uncompared.keys()],
        disabled,
        paused: Object.fromEntries(paused),
      };
    },

    /** `9 items read`, `0 items read: nothing was looked at` */
    items(inPasses: string): string {
      const { items, kinds } = state;
      const ofNoKind = kinds.ofNoKind === 0 ? '' : `, ${counted(kinds.ofNoKind, 'item')} of no kind`;
      return `${counted(items, 'item')} read${inPasses}${nothing === undefined ? '' : `: ${nothing}`}${ofNoKind}`;
    },

    *lines(): Generator<string> {
      // Without items of no kind, nothing is known but that kinds have none.
      for (const one of state.kinds.strangers.length === 0 ? [] : used)
        if (unmatched.includes(one) || strangersLike(one.kind, state.kinds).length > 0)
          for (const message of kindMessages(one, state.kinds)) yield visible(`${one.kind.name}  ${message}`);
      for (const { kind, users } of state.items === 0 ? [] : unmatched)
        yield `no item is of ${kind.name}: needed by ${users.join(', ')}`;
      for (const [rule, why] of uncompared) yield `nothing was compared by ${rule}, because ${why}`;
      for (const [rule, since] of paused)
        yield command === 'verify'
          ? `${rule} is paused since ${since}: what it has not followed since waits in the fan-out queue`
          : `not looked at, because paused since ${since}: ${rule}`;
      if (disabled.length > 0) yield `not looked at, because disabled: ${disabled.join(', ')}`;
    },
  };
}

/** Why nothing was looked at at all. */
function whyNothing({ selected, state, isKnown }: FinishedRun): string | undefined {
  if (!isKnown) return undefined;
  if (selected.rules.length + selected.aggregates.length === 0)
    return 'nothing was looked at, because no rule is in force';
  return state.items === 0 ? 'nothing was looked at' : undefined;
}

function* uncomparedIn({ selected, state, handled }: FinishedRun): Generator<readonly [string, string]> {
  const hasItems = ({ name }: AnyKind) => (state.kinds.kinds[name] ?? 0) > 0;
  for (const { name, copy } of selected.rules) {
    const { [name]: counts } = state.rules;
    if (counts === undefined ? handled === 0 && hasItems(copy) : isUncompared(counts))
      yield [name, `no ${copy.name} names a root that exists and finds it`];
  }
  for (const { name, of } of selected.aggregates) {
    const { members, invalid } = state.rules[name] ?? {};
    if (hasItems(of) && members === 0 && invalid === 0) yield [name, `no ${of.name} names a target`];
  }
}
