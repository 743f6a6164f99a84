import type { WhyArchived } from '../../archive/why-archived.ts';
import { keyJson } from '../options/item-key.ts';
import { pairs, styled } from '../output/terminal.ts';
import { archivedSentence, itemArchivedSentence, roleSentence, whySentence } from './sentences.ts';
import type { Subject } from './subjects.ts';

/** What was asked about, and what each rule makes of it, for people. */
export function subjectText(subject: Subject): string {
  switch (subject.is) {
    case 'record': {
      const { change, kinds } = subject;
      const what = change.before === undefined ? 'INSERT' : change.after === undefined ? 'REMOVE' : 'MODIFY';
      const expired = change.expired ? ', expired' : '';
      return withRules(
        `${what} ${keyJson(change.key)}, ${kindText(kinds)}${expired}`,
        rulesOfRecord(subject),
        subject,
      );
    }
    case 'item': {
      const { key, item, kinds } = subject;
      if (item !== undefined)
        return withRules(`${keyJson(key)}, ${kindText(kinds)}`, rulesOfItem(subject), subject);
      const like = kinds.length === 0 ? '' : ` The key is that of ${kinds.join(' or ')}.`;
      return `${styled('bold', keyJson(key))}\n  No such item: a propagation would find no root, and leave its copies alone as orphans.${like}`;
    }
    case 'message': {
      const { rule, root, cause } = subject.message;
      return styled('bold', `queue message: a propagation of ${rule} for ${keyJson(root)}, ${cause}`);
    }
    case 'unreadable':
      return `${styled('bold', `record ${subject.id}`)}\n  would be dead-lettered: ${subject.reason}`;
  }
}

type Told = readonly { readonly rule: string; readonly says: string }[];

function rulesOfRecord({ whys, archives }: Extract<Subject, { is: 'record' }>): Told {
  return [
    ...whys
      .filter(({ because }) => because !== 'unconcerned')
      .map((why) => ({ rule: why.rule.name, says: whySentence(why) })),
    ...rulesOfArchive(archives, archivedSentence),
  ];
}

function rulesOfItem({ roles, archives }: Extract<Subject, { is: 'item' }>): Told {
  return [
    ...roles.map((role) => ({ rule: role.rule.name, says: roleSentence(role) })),
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
  return `${styled('bold', head)}\n${pairs(lines)}`;
}

function kindText(kinds: readonly string[]): string {
  return kinds.length === 0 ? 'of no kind of any rule' : kinds.join(' and ');
}
