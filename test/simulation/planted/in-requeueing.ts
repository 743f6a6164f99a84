import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong between an invocation, its answer and the queue. */
export const bugsInRequeueing: readonly PlantedBug[] = [
  bug(
    'acknowledge all but the last record of a check',
    'checkAll',
    '$attempts.run(idsOf($asked), () => propagateOrRequeue(',
    '$attempts.run(idsOf($asked.slice(-1)), () => propagateOrRequeue(',
  ),
  bug(
    'count no delivery of copies that do not get on',
    'retryCopies',
    '? untried($named) : $named;',
    '? untried($named) : untried($named);',
  ),
  bug(
    'count no delivery at all',
    'requeueLater',
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
    'requeueWhenAvailable',
    'await send($engine, { ...$message, unavailableSince: $since }, $delay, $tally);',
    'await requeueLater($engine, $message, $tally);',
  ),
  bug(
    'begin the age of unavailability anew with each delivery',
    'requeueWhenAvailable',
    'Math.min($message.unavailableSince ?? now, now)',
    'now',
  ),
  bug(
    'try each message again after a minute of an outage',
    'requeueWhenAvailable',
    'Math.min(Math.max(1, Math.floor($age)), maxDelay)',
    'Math.min(Math.max(1, Math.floor($age)), 60)',
  ),
  bug(
    'acknowledge a message of no rule',
    'propagateMessage',
    'const $tally = new Tally($message, undefined);',
    'const $tally = new Tally($message, undefined); if ($message.rule !== "") return $tally.report();',
  ),
  bug('never split a message', 'maxKeyBytes', '= 90_000', '= 9_000_000'),
];
