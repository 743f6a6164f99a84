import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import { word } from '../model/basics/text.ts';
import { type Change, imageOf } from '../model/items/change.ts';
import type { Item } from '../model/items/item.ts';
import { ofKind } from '../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../model/rules/bound-rule.ts';
import { archivedAs, type Registry } from '../model/rules/registry.ts';
import { memberView } from '../plan/aggregate-functions.ts';
import { checkedRoot, copyIn, isOutdated, itselfIn, lostRoot, propagationOfRoot } from '../plan/match.ts';
import { isChecked, matchAggregate } from '../plan/match-aggregate.ts';
import { differencesFrom, project } from '../plan/projection.ts';
import { isExcluded, isUnlinked, rootNamedBy } from '../plan/rule-functions.ts';
import {
  differences,
  presenceOf,
  type Watched,
  watchedCopy,
  watchedMember,
  watchedRoot,
  watchedTarget,
} from '../plan/watched.ts';
import { archivingOf } from '../worker/archive/decision.ts';
import type { ExplainedRule } from './explanation.ts';
import { copiesAfter, copyAfter, explainedRule, itselfAfter } from './sentences.ts';

/** What each rule makes of a change, as the worker decides it. Rules that it does not concern are left out. */
export function rulesOfChange(registry: Registry, change: Change): readonly ExplainedRule[] {
  const { rules, aggregates } = registry;
  return [
    ...rules.flatMap((rule) =>
      rule.located.in === 'itself'
        ? ofItself(rule, change)
        : [...ofRoot(rule, change), ...ofCopy(rule, change)],
    ),
    ...aggregates.flatMap((aggregate) => ofAggregate(aggregate, change)),
    ...ofArchive(registry, change),
  ];
}

function ofItself(rule: BoundRule, change: Change): ExplainedRule[] {
  const because = itselfIn(rule, change);
  if (because === 'unconcerned') return [];
  const { after } = change;
  const attributes =
    because === 'wrong' && after !== undefined ? differencesFrom(project(rule, after, after), after) : [];
  const asks = isOutdated(because) ? 'propagation' : 'nothing';
  return [
    explainedRule(rule, {
      as: 'itself',
      asks,
      because,
      attributes,
      note: exclusion(rule, after),
    }),
  ];
}

function ofRoot(rule: BoundRule, change: Change): ExplainedRule[] {
  const found = propagationOfRoot(rule, change);
  if (found === 'unconcerned') return [];
  if (typeof found === 'string')
    return [explainedRule(rule, { as: 'root', asks: 'nothing', because: found })];
  const { asks, because, cause } = found;
  const isRemoval = asks && cause !== 'changed';
  const removal = copiesAfter[cause === 'expired' ? rule.onExpire : rule.onDelete];
  return [
    explainedRule(rule, {
      as: 'root',
      asks: asks ? 'propagation' : 'nothing',
      because,
      attributes: because === 'differs' ? namesOf(change, watchedRoot(rule)) : [],
      note: isRemoval ? removal : exclusion(rule, change.after),
    }),
  ];
}

function ofCopy(rule: BoundRule, change: Change): ExplainedRule[] {
  const because = copyIn(rule, change);
  if (because === 'unconcerned') return [];
  const root = checkedRoot(rule, change);
  const lines = ofLost(rule, change);
  if (root instanceof InvalidItemError)
    return [...lines, explainedRule(rule, { as: 'copy', asks: 'nothing', because: 'failed', fault: root })];
  if (root !== undefined) {
    const attributes = because === 'differs' ? namesOf(change, watchedCopy(rule)) : [];
    return [...lines, explainedRule(rule, { as: 'copy', asks: 'check', because, attributes, of: [root] })];
  }
  if (lines.length > 0) return lines;
  if (because !== 'new' && because !== 'differs')
    return [explainedRule(rule, { as: 'copy', asks: 'nothing', because })];
  const note = lack(() => rootNamedBy(rule, change.after ?? {}));
  return [explainedRule(rule, { as: 'copy', asks: 'nothing', because: 'rootless', note })];
}

/** What the item lacks to name a root or a target. */
function lack(name: () => unknown): string | undefined {
  const found = unlessInvalid(name, (error) => error);
  const { attribute } = found instanceof InvalidItemError ? found : {};
  return attribute && `it has no value of ${word(attribute.name)}`;
}

/** As a copy of the root that it named before. */
function ofLost(rule: BoundRule, change: Change): ExplainedRule[] {
  const root = lostRoot(rule, change);
  if (root === undefined) return [];
  if (rule.creates) return [explainedRule(rule, { as: 'copy', asks: 'check', because: 'lost', of: [root] })];
  if (!isUnlinked(rule, change.after)) return [];
  const note = copyAfter[rule.onUnlink];
  return [explainedRule(rule, { as: 'copy', asks: 'check', because: 'unlinked', of: [root], note })];
}

function ofAggregate(aggregate: BoundAggregate, change: Change): ExplainedRule[] {
  const { propagations, faults } = matchAggregate(aggregate, [change]);
  const targets = propagations.flatMap(({ cause, root }) => (cause === 'changed' ? [root] : []));
  const [fault] = faults;
  const member = presenceOf(watchedMember(aggregate), change);
  const target = presenceOf(watchedTarget(aggregate), change);
  const isSame = member === 'same' || targets.length > 0;
  const isNowhere = fault === undefined && !isSame;
  return [
    ...(member === 'unconcerned'
      ? []
      : [
          explainedRule(aggregate, {
            as: 'member',
            asks: targets.length > 0 ? 'propagation' : 'nothing',
            of: targets,
            fault,
            because: fault !== undefined ? 'failed' : isSame ? member : 'nowhere',
            note: isNowhere
              ? lack(() => aggregate.targetsOf(memberView(aggregate, imageOf(change) ?? {})))
              : undefined,
            attributes: member === 'differs' ? namesOf(change, watchedMember(aggregate)) : [],
          }),
        ]),
    ...(target === 'unconcerned'
      ? []
      : [
          explainedRule(aggregate, {
            as: 'target',
            because: target,
            asks: isChecked(aggregate, target) ? 'check' : 'nothing',
            note:
              change.after === undefined && aggregate.creates
                ? 'if it has members, it is made again'
                : undefined,
            attributes: target === 'differs' ? namesOf(change, watchedTarget(aggregate)) : [],
          }),
        ]),
  ];
}

function ofArchive(registry: Registry, change: Change): ExplainedRule[] {
  const rule = archivedAs(registry, imageOf(change) ?? {})?.rule;
  const found = archivingOf(registry, change);
  if (rule === undefined || found === 'unconcerned') return [];
  if (typeof found === 'string')
    return [explainedRule(rule, { as: 'item', asks: 'nothing', because: found })];
  const { because, fault } = found;
  return [
    explainedRule(rule, {
      as: 'item',
      asks: because === 'excluded' ? 'nothing' : 'archive',
      because,
      fault,
    }),
  ];
}

function namesOf({ before, after }: Change, watched: Watched): string[] {
  return before === undefined || after === undefined ? [] : [...differences(watched, before, after)];
}

function exclusion(rule: BoundRule, image: Item | undefined): string | undefined {
  const root = ofKind(rule.root, image);
  if (root === undefined || !isExcluded(rule, root)) return undefined;
  if (rule.located.in !== 'itself') return `when is false: ${copiesAfter[rule.onDelete]}`;
  return `when is false: ${itselfAfter[rule.onDelete]}`;
}
