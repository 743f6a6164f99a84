import type { Unreadable } from '../../../../model/change.ts';
import type { DeadLetter } from '../../../../model/message.ts';
import type { Deliveries } from '../world/deliveries.ts';
import type { SimulatedQueue } from '../world/simulated-queue.ts';
import type { Findings } from './findings.ts';
import type { Oracle } from './oracle.ts';

/** The codes of work that was given up because it did not get on. */
const givenUp = ['attempts.exceeded', 'unavailable.too-long'];

/** Checks that an outage makes nobody give up: it is shorter than work waits for (invariant 7). @param before when it began */
export function checkOutlasted(
  before: readonly DeadLetter[],
  after: readonly DeadLetter[],
  findings: Findings,
): void {
  for (const { code, message } of after.filter((one) => !before.includes(one)))
    if (givenUp.includes(code))
      findings.violated(7, 'an outage makes work be given up', `${code} ${JSON.stringify(message?.root)}`);
}

/** Checks that what is dead-lettered is what only a person can mend (invariant 4). @param faulty whether requests went wrong */
export function checkParked(
  deadLettered: readonly DeadLetter[],
  oracle: Oracle,
  faulty: boolean,
  findings: Findings,
): void {
  for (const { code, message } of deadLettered) {
    const where = `${code} ${message === undefined ? '' : `${message.rule} ${JSON.stringify(message.root)}`}`;
    if (givenUp.includes(code)) {
      if (!faulty) findings.violated(7, 'a propagation gives up though nothing is in its way', where);
    } else if (message === undefined) {
      if (code !== 'record.unreadable') findings.violated(4, 'what is fine is dead-lettered', where);
    } else if (code === 'rule.unknown') {
      if (oracle.knows(message.rule)) findings.violated(4, 'what is fine is dead-lettered', where);
    } else if (code === 'copy.taken') {
      if (!oracle.wasTaken(message)) findings.violated(4, 'what is fine is dead-lettered', where);
    } else if (!oracle.wasBeyondRepair(message.rule, message.root))
      findings.violated(4, 'what is fine is dead-lettered', where);
  }
}

/**
 * Checks that each function has dead-lettered every record that nobody can read, and the queue every message; Archive leaves
 * removals to the on-failure destination, which keeps them whole.
 */
export function checkUnreadable(
  malformed: readonly Unreadable[],
  {
    deadLetteredRecords,
    malformedMessages,
  }: Pick<SimulatedQueue, 'deadLetteredRecords' | 'malformedMessages'>,
  undelivered: Deliveries['undelivered'],
  findings: Findings,
): void {
  const expected = new Set<string>();
  for (const { record, lastImage } of malformed)
    for (const reader of ['propagate', 'archive']) {
      const isKept = undelivered.some((one) => one.reader === reader && one.record.id === record);
      if (!(lastImage && reader === 'archive')) expected.add(`${reader} ${record}`);
      else if (!isKept) findings.violated(4, 'a removal that nobody can read is acknowledged', record);
    }
  for (const where of expected)
    if (!deadLetteredRecords.has(where))
      findings.violated(4, 'a record that nobody can read is not dead-lettered', where);
  for (const where of deadLetteredRecords)
    if (!expected.has(where)) findings.violated(4, 'what is fine is dead-lettered', where);
  for (const body of malformedMessages.values())
    findings.violated(4, 'a message that nobody can read is not dead-lettered', JSON.stringify(body));
}
