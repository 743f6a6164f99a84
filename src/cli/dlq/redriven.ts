import type { DeadLetter } from '../../model/message.ts';
import type { BatchReport } from '../../operate/dead-letters/redrive-batches.ts';
import type { RedriveOutcome, RedrivePlan } from '../../operate/dead-letters/redrive-dead-letters.ts';
import { deadLetterLine } from '../output/lines.ts';
import { counted, keyJson } from '../output/text.ts';
import { visible, word } from '../output/visible.ts';

/** What became of the selected work, as far as it came. */
export interface Redriven {
  readonly plan: RedrivePlan;
  readonly isDryRun: boolean;
  messages: RedriveOutcome;
  readonly batches: BatchReport[];
  readonly deadLettered: DeadLetter[];
}

/** Whether nothing that was selected is left. */
export function isDone(redriven: Redriven): boolean {
  const { kept } = countsOf(redriven);
  return redriven.deadLettered.length === 0 && Object.values(kept).every((count) => count === 0);
}

/** One line for a batch. */
export function batchLine({ key, function: to, records, outcome, why }: BatchReport): string {
  const what = outcome === 'planned' ? 'would redrive' : outcome;
  const parts = [what, to ?? '', to === undefined ? '' : counted(records, 'record'), key, why ?? ''];
  return visible(parts.filter((part) => part !== '').join('  '));
}

/** How many dead letters and batches were redriven, and how many of each were kept, by reason. */
function countsOf({ plan, messages, batches, isDryRun }: Redriven) {
  const { removals, unknownRule, withoutMessage } = plan;
  const asked = plan.send.reduce((sum, { deadLetters }) => sum + deadLetters.length, 0);
  const done = batches.filter(({ outcome }) => outcome === 'redriven').length;
  return {
    redriven: { deadLetters: messages.deadLetters, messages: messages.messages, batches: done },
    kept: {
      ...{
        removals: removals.length,
        unknownRule: unknownRule.length,
        withoutMessage: withoutMessage.length,
      },
      ...{ notReached: isDryRun ? 0 : asked - messages.deadLetters, batches: plan.batches.length - done },
    },
    leftOut: batches.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

export function redrivenJson(redriven: Redriven): object {
  const { plan, isDryRun, batches, deadLettered } = redriven;
  const send = isDryRun ? plan.send.map(({ message }) => message) : undefined;
  return { dryRun: isDryRun, send, ...countsOf(redriven), batches, deadLetteredAgain: deadLettered };
}

/** The summary. Batches have a line of their own before it. */
export function* redrivenLines(redriven: Redriven, name: string): Generator<string> {
  const { plan, isDryRun, deadLettered } = redriven;
  const { redriven: done, kept, leftOut } = countsOf(redriven);
  const { send, removals, unknownRule, withoutMessage, batches } = plan;
  const letters = send.length + removals.length + unknownRule.length + withoutMessage.length;
  if (letters + batches.length === 0) yield `No such dead letters in ${name}`;
  for (const { message, deadLetters } of isDryRun ? send : [])
    yield `would redrive  ${word(message.rule)}  ${keyJson(message.root)}  ${message.cause}  ${counted(deadLetters.length, 'dead letter')}`;
  if (letters > 0 && !isDryRun)
    yield `redriven  ${counted(done.deadLetters, 'dead letter')}, as ${counted(done.messages, 'message')}`;
  if (batches.length > 0 && !isDryRun) yield `redriven  ${counted(done.batches, 'batch', 'batches')}`;
  for (const one of deadLettered) yield deadLetterLine(one, 'dead-lettered again');
  const reasons = [
    [kept.removals, 'of deleted or expired roots: add --removals to redrive them'],
    [
      kept.unknownRule,
      'of disabled or removed rules, which would be dead-lettered again: enable the rules, or drop the dead letters',
    ],
    [kept.withoutMessage, 'that request no propagation: inspect them, then drop them'],
    [kept.notReached, 'that were not reached, or could not be removed: redrive again, which is safe'],
  ] as const;
  for (const [count, why] of reasons) if (count > 0) yield `kept  ${counted(count, 'dead letter')} ${why}`;
  const out = leftOut > 0 ? `, ${counted(leftOut, 'removal')} left out: add --removals to redrive them` : '';
  if (kept.batches > 0 && !isDryRun) yield `kept  ${counted(kept.batches, 'batch', 'batches')}${out}`;
}
