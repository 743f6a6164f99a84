import type { Rule } from '../../model/rule.ts';
import { writesNothing } from '../../model/rule-attributes.ts';
import type { Why } from '../../operate/reasons/match-reasons.ts';
import type { WhyArchived } from '../../operate/reasons/why-archived.ts';
import { pairs, styled } from '../output/terminal.ts';
import { keyJson } from '../output/text.ts';
import { visible, word, words } from '../output/visible.ts';
import { aggregateRoleSentence, computedSentence } from './aggregate-roles.ts';
import type { Subject } from './explain-subjects.ts';
import type { Role } from './item-roles.ts';

/** Formats a subject and its role in each rule as text. */
export function subjectText(subject: Subject): string {
  switch (subject.is) {
    case 'record': {
      const { change } = subject;
      const what = change.before === undefined ? 'INSERT' : change.after === undefined ? 'REMOVE' : 'MODIFY';
      const expired = change.expired ? ', expired' : '';
      return withRules(
        `${what} ${keyJson(change.key)}, ${kindText(subject)}${expired}`,
        rulesOfRecord(subject),
        subject,
      );
    }
    case 'item': {
      const { key, item, kinds, allKinds, roles } = subject;
      if (item !== undefined)
        return withRules(`${keyJson(key)}, ${kindText(subject)}`, rulesOfItem(subject), subject);
      if (roles.length > 0) return withRules(`${keyJson(key)}, no such item`, rulesOfItem(subject), subject);
      return `${styled('bold', keyJson(key))}\n  No such item${kinds.length === 0 ? noKind(allKinds) : missing(kinds)}`;
    }
    case 'message': {
      const { rule, root, cause } = subject.message;
      return styled(
        'bold',
        visible(`queue message: a propagation of ${rule} for ${keyJson(root)}, ${cause}`),
      );
    }
    case 'unreadable':
      return `${styled('bold', `record ${word(subject.id)}`)}\n  would be dead-lettered: ${visible(subject.reason)}`;
  }
}

function missing(kinds: readonly string[]): string {
  return `. The key is that of ${kinds.join(' or ')}. If it is the root of copies, they are orphans, and left alone.`;
}

function noKind(allKinds: readonly string[]): string {
  return [', and no kind has such keys. The kinds and their keys:', ...allKinds].join('\n    ');
}

type Told = readonly { readonly rule: string; readonly says: string }[];

function rulesOfRecord({ whys, computed, archives }: Extract<Subject, { is: 'record' }>): Told {
  return [
    ...whys
      .filter(({ because }) => because !== 'unconcerned')
      .map((why) => ({ rule: why.rule.name, says: whySentence(why) })),
    ...computed
      .filter(({ because }) => because !== 'unconcerned')
      .map((why) => ({ rule: why.aggregate.name, says: computedSentence(why) })),
    ...rulesOfArchive(archives, archivedSentence),
  ];
}

/** The role of an item in each rule, aggregate and archive rule. */
export function rulesOfItem({ roles, aggregates, archives }: Extract<Subject, { is: 'item' }>): Told {
  return [
    ...roles.map((role) => ({ rule: role.rule.name, says: roleSentence(role) })),
    ...aggregates.map((role) => ({ rule: role.rule.name, says: aggregateRoleSentence(role) })),
    ...rulesOfArchive(archives, itemArchivedSentence),
  ];
}

function rulesOfArchive(archives: readonly WhyArchived[], sentence: (why: WhyArchived) => string): Told {
  return archives
    .filter(({ because }) => because !== 'unconcerned')
    .map((why) => ({ rule: why.rule.name, says: sentence(why) }));
}

function withRules(head: string, told: Told, subject: Extract<Subject, { is: 'record' | 'item' }>): string {
  const concerned = new Set(told.map(({ rule }) => rule));
  const others = subject.rules.filter((rule) => !concerned.has(rule));
  const lines: (readonly [string, string])[] = [
    ...told.map(({ rule, says }) => [rule, says] as const),
    ...(others.length === 0 ? [] : [['not concerned', others.join(', ')] as const]),
  ];
  return `${styled('bold', visible(head))}\n${pairs(lines)}`;
}

function kindText({ kinds, contradiction }: Extract<Subject, { is: 'record' | 'item' }>): string {
  if (contradiction !== undefined) return `of no kind of any rule: ${contradiction}`;
  return kinds.length === 0 ? 'of no kind of any rule' : kinds.join(' and ');
}

/** What a rule does about a record, as a sentence whose subject, the rule, is left out. */
export function whySentence(why: Why): string {
  const { as, asks, rule } = why;
  const reason = `${reasonOf(why)}${why.excluded ? `; ${exclusionOf(rule)}` : ''}`;
  if (as === 'copy') return `${asks === 'check' ? 'checks it' : 'does not check it'}: ${reason}`;
  const policy = why.because === 'expired' ? rule.onExpire : rule.onDelete;
  const removal = policy === 'clear' ? 'lose what the rule wrote' : 'are deleted';
  if ((why.because === 'deleted' || why.because === 'expired') && asks === 'propagation')
    return `matches: ${reason}, and its copies ${removal}`;
  return `${asks === 'propagation' ? 'matches' : 'does not match'}: ${reason}`;
}

/** What becomes of the copies of a root for which `when` is false, or of an item that is its own copy. */
function exclusionOf(rule: Rule): string {
  if (rule.located.in !== 'itself')
    return `when is false, and its copies ${rule.onDelete === 'keep' ? 'stay as they are' : rule.onDelete === 'clear' ? 'lose what the rule wrote' : 'are deleted'}`;
  return `when is false, and it ${rule.onDelete === 'keep' ? 'stays as it is' : 'loses what the rule derives'}`;
}

function removalOf({ onDelete }: Rule): string {
  return onDelete === 'clear' ? 'loses what the rule wrote' : 'is deleted';
}

function reasonOf({ as, asks, because, attributes, rule, fault }: Why): string {
  const names = words(attributes);
  const many = attributes.length > 1;
  const removing = asks === 'nothing' ? ', and the rule only removes copies' : '';
  switch (because) {
    case 'unconcerned':
      return 'it is not of a kind of the rule';
    case 'new':
      return `${as === 'copy' ? 'it is a new copy' : 'it is new'}${removing}`;
    case 'differs':
      return `${names} ${many ? 'differ' : 'differs'} between its images${removing}`;
    case 'same':
      return as === 'copy'
        ? 'no attribute differs that the rule copies, derives, reads or finds it by'
        : 'no attribute differs that the rule copies or reads';
    case 'deleted':
    case 'expired': {
      const removed = because === 'deleted' ? 'it was deleted' : 'it has expired';
      return asks === 'propagation' ? removed : `${removed}, and the rule did not apply to it`;
    }
    case 'kept':
      return 'it was removed, and the rule keeps its copies';
    case 'gone':
      if (asks === 'check')
        return 'the copy was removed, and is created again if its root still places it there';
      return as === 'copy'
        ? 'the copy was removed, so nothing is left to check'
        : 'it was removed, so nothing is left to change';
    case 'left-kind':
      if (asks === 'check')
        return `its type is no longer ${rule.copy.name}, and its root may place a copy there`;
      return `its type is no longer ${as === 'copy' ? rule.copy.name : rule.root.name}`;
    case 'rootless':
      return asks === 'check' ? 'it no longer names a root' : 'it names no root';
    case 'right':
      return 'it is right';
    case 'wrong':
      return `${names} ${many ? 'are' : 'is'} not what ${many ? 'they' : 'it'} should be`;
    case 'invalid':
      if (fault !== undefined) return `its root cannot be told, and the record is dead-lettered (${fault})`;
      return `its projection cannot be computed${asks === 'propagation' ? '' : ', as before'}`;
  }
}

/** What an archive rule does about an item in its current state. */
export function itemArchivedSentence(why: WhyArchived): string {
  const does = why.asks === 'archive' ? 'archives it' : 'does not archive it';
  return archivedSentence(why).replace(/^(matches|does not match)/, does);
}

/** What an archive rule does about a record. */
export function archivedSentence(why: WhyArchived): string {
  const { fault } = why;
  return `${archivedReason(why)}${fault === undefined ? '' : `; its when fails, and the record is dead-lettered as well (${fault})`}`;
}

function archivedReason({ rule, because }: WhyArchived): string {
  switch (because) {
    case 'unconcerned':
      return 'does not match: it is not of a kind that the rule archives';
    case 'expiring':
      return 'matches: it has an expiry';
    case 'lasting':
      return 'does not match: it has no expiry';
    case 'expired':
      return 'matches: it has expired, and its last state is archived';
    case 'deleted':
      return `matches: it was deleted, and ${rule.onDelete === 'erase' ? 'its states are erased from the archive' : 'its last state is archived'}`;
    case 'kept':
      return 'does not match: it was deleted, and its archived states stay';
    case 'excluded':
      return 'does not match: when is false, and what is archived of it stays';
  }
}

/** The role of an item in a rule. */
export function roleSentence(role: Role): string {
  if (role.as !== 'copy') {
    const is = role.as === 'root' ? 'is its root' : 'derives attributes of the item itself';
    const excluded = role.excluded ? `, but ${exclusionOf(role.rule)}` : '';
    return `${is}${excluded}: see the propagation below`;
  }
  if (role.fault !== undefined)
    return `is its copy, but its root cannot be told (${role.fault.code}: ${role.fault.message}): it is dead-lettered`;
  if (role.root === undefined) return 'is its copy, but names no root: the worker never writes it';
  const copy = `is its copy, and names the root ${keyJson(role.root)}`;
  const { finding } = role;
  switch (finding.is) {
    case 'right':
      return writesNothing(role.rule) ? `${copy}, which exists` : `${copy}: it is what its root says`;
    case 'differs': {
      const { set, remove } = finding.decision.update;
      const names = [...Object.keys(set), ...remove];
      return `${copy}: ${words(names)} ${names.length > 1 ? 'are' : 'is'} not what its root says`;
    }
    case 'excluded':
      return `${copy}, for which when is false: it ${removalOf(role.rule)}`;
    case 'foreign':
      return role.isMissing
        ? `does not create it: the root ${keyJson(role.root)} does not exist, or places no copy at this key`
        : `${copy}, which places its copies elsewhere: the worker never writes it`;
    case 'missing':
      return `creates it: the root ${keyJson(role.root)} places a copy at this key`;
    case 'orphan':
      return `${copy}, which does not exist: an orphan, left alone`;
    case 'invalid':
      return `${copy}: it cannot be updated (${finding.code}: ${finding.reason})`;
  }
}
