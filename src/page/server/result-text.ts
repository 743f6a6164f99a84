import { number, visible } from '../../model/basics/text.ts';
import type { RuleOfChange, RuleWork } from '../protocol/changes.ts';
import type { Key } from '../protocol/views.ts';

const archivedTexts = {
  stored: 'archived',
  unchanged: 'archived before',
  final: 'archived as its last state',
  gone: 'left to its later change',
  erased: 'archived states erased',
} as const;

/**
 * `3 × Membership, 1 equal`: what became of a rule.
 * @param kind of its copies
 */
export function resultText(of: RuleWork, kind = 'copy'): string {
  const { counts, asks, state, copies, archived, failed } = of;
  const { written, removed, unchanged, retried, deadLettered, orphans, foreign, skipped, absent } = counts;
  const done = written + removed + unchanged;
  if (state === 'running') return `${number(done)} / ${copies === undefined ? '…' : number(copies)} ${kind}`;
  const lost = deadLettered > 0 && deadLetteredText(deadLettered, asks, failed[0]?.key);
  if (archived !== undefined) return `${archivedTexts[archived]}${lost ? `, ${lost}` : ''}`;
  const texts = [
    written > 0 && `${number(written)} × ${kind}`,
    removed > 0 && `${number(removed)} removed`,
    unchanged > 0 && `${number(unchanged)} equal`,
    retried > 0 && `${number(retried)} retried`,
    lost,
    skipped > 0 && `${number(skipped)} invalid, left out`,
    orphans > 0 && `${number(orphans)} without a root`,
    foreign > 0 && `${number(foreign)} of other roots`,
    absent > 0 && 'no such target',
    of.with !== undefined &&
      (asks === 'archive' ? 'archived as a later change left it' : `${kind} with a later change`),
  ].filter((text) => text !== false);
  if (texts.length > 0) return texts.join(', ');
  if (asks === 'nothing') return 'does not match';
  if (state === 'waiting') return state;
  return asks === 'check' ? 'checked' : `no ${kind} to write`;
}

/** The only one is named, unless it is the item that changed. */
function deadLetteredText(count: number, asks: RuleWork['asks'], key: Key | undefined): string {
  if (asks === 'fault' || asks === 'archive') return 'dead-lettered';
  if (count > 1 || key === undefined) return `${number(count)} dead-lettered`;
  return visible(`1 dead-lettered: ${key.pk}${key.sk === '' ? '' : ` / ${key.sk}`}`);
}

export function markOf({ state, counts, archived }: RuleWork): RuleOfChange['mark'] {
  if (counts.deadLettered + counts.skipped > 0) return 'bad';
  if (state !== 'done') return 'lit';
  return counts.written + counts.removed > 0 || archived === 'erased' ? 'good' : 'quiet';
}

/** Whether the worker only found that a copy equals its root. */
export function isIdle(rules: readonly RuleWork[]): boolean {
  const isRight = ({ written, removed, deadLettered, skipped, orphans }: RuleWork['counts']) =>
    written + removed + deadLettered + skipped + orphans === 0;
  const concerned = rules.filter(({ asks }) => asks !== 'nothing');
  return (
    concerned.length > 0 &&
    concerned.every(({ asks, state, counts }) => asks === 'check' && state === 'done' && isRight(counts))
  );
}
