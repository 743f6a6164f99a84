import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong between an invocation, its answer and the queue. */
export const bugsInHandingOn: readonly PlantedBug[] = [
  bug(
    'acknowledge all but the last record of a check',
    'checkAll',
    '$attempts.run(idsOf($asked), () => takeOrHandOn(',
    '$attempts.run(idsOf($asked.slice(-1)), () => takeOrHandOn(',
  ),
  bug(
    'count no delivery of copies that do not get on',
    'retryCopies',
    '? untried($named) : $named;',
    '? untried($named) : untried($named);',
  ),
  bug(
    'count no delivery at all',
    'retry',
    'const $hops = $message.hops + 1;',
    'const $hops = Math.min($message.hops + 1, 1);',
  ),
  bug(
    'go on counting deliveries where a fan-out gets on',
    'takeTurn',
    '$rest = { ...untried($rest), ...$page.following };',
    '$rest = { ...$rest, ...$page.following };',
  ),
  bug(
    'count unavailability as attempts',
    'retryWhenAvailable',
    'await send($engine, { ...$message, unavailableSince: $since }, $delay, $tally);',
    'await retry($engine, $message, $tally);',
  ),
  bug(
    'begin the age of unavailability anew with each delivery',
    'retryWhenAvailable',
    'Math.min($message.unavailableSince ?? now, now)',
    'now',
  ),
  bug(
    'acknowledge a message of no rule',
    'turn',
    'const $tally = new Tally($message, $changedAt); const $rule = $engine.registry.rule($message.rule);',
    'const $tally = new Tally($message, $changedAt); const $rule = $engine.registry.rule($message.rule); if ($rule === undefined) return $tally.report();',
  ),
  bug('never split a message', 'mostKeyBytes', '= 90_000', '= 9_000_000'),
];
