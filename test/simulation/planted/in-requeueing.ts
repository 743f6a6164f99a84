import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong between an invocation, its answer and the queue. */
export const bugsInRequeueing: readonly PlantedBug[] = [
  bug(
    'acknowledge all but the last record of a check',
    'checkAll',
    '$attempts.run(idsOf($asked), () => takeMessage(',
    '$attempts.run(idsOf($asked.slice(-1)), () => takeMessage(',
  ),
  bug(
    'count no delivery of copies that do not get on',
    'leftOf',
    '? untried($message) : $message;',
    '? untried($message) : untried($message);',
  ),
  bug(
    'count no delivery at all',
    'afterLost',
    'const $attempts = $message.attempts + 1;',
    'const $attempts = Math.min($message.attempts + 1, 1);',
  ),
  bug(
    'go on counting deliveries where a fan-out gets on',
    'propagatePages',
    '$rest = { ...untried($rest), ...$page.following };',
    '$rest = { ...$rest, ...$page.following };',
  ),
  bug(
    'count unavailability as attempts',
    'nextOf',
    'return afterUnavailable($engine, $one.message);',
    'return afterLost($engine, $one.message);',
  ),
  bug(
    'begin the age of unavailability anew with each delivery',
    'afterUnavailable',
    'Math.min($message.unavailableSince ?? now, now)',
    'now',
  ),
  bug(
    'try each message again after a minute of an outage',
    'afterUnavailable',
    'Math.min(Math.max(1, Math.floor($age)), maxDelay)',
    'Math.min(Math.max(1, Math.floor($age)), 60)',
  ),
  bug(
    'acknowledge a message of no rule',
    'propagateMessage',
    'const $tally = new Tally($message, undefined);',
    'const $tally = new Tally($message, undefined); if ($message.rule !== "") return $tally.report();',
  ),
  bug('never split a message', 'maxMessageBytes', '= 100_000', '= 9_000_000'),
];
