import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong in computing totals. */
export const bugsInTotals: readonly PlantedBug[] = [
  bug(
    'compute no target that is put after its members',
    'isTargetWritten',
    'return $before === undefined || hasAny(differencesOfTarget($aggregate, $before, $after));',
    'return $before !== undefined && hasAny(differencesOfTarget($aggregate, $before, $after));',
  ),
  bug(
    "forget a member's old target",
    'membersIn',
    'return [$before, $after].filter(',
    'return [$after ?? $before].filter(',
  ),
  bug(
    'ignore the removal of a member',
    'membersIn',
    'return [$before, $after].filter(',
    'return $after === undefined ? [] : [$before, $after].filter(',
  ),
  bug(
    'check no totals that come back',
    'isTargetWritten',
    'return $before === undefined || hasAny(differencesOfTarget($aggregate, $before, $after));',
    'return $before === undefined;',
  ),
  bug(
    'add up floats',
    'addDecimals',
    'return new Big($one).plus($other).toString();',
    'return String(Number($one) + Number($other));',
  ),
  bug(
    'increment the total that is there',
    'planTotals',
    'const $value = $computed.get($name);',
    "const there = target[$name]; const sum = $computed.get($name); const $value = there !== undefined && 'N' in there && sum !== undefined && 'N' in sum && Number(there.N) > 0 ? { N: String(Number(there.N) + 1) } : sum;",
  ),
  bug(
    'leave out the condition on the target',
    'planTotals',
    'return { key: keyIn($table, $target), $set, $remove, $expect, rule: $aggregate.name };',
    'return { key: keyIn($table, $target), $set, $remove, expect: {}, rule: $aggregate.name };',
  ),
  bug(
    'look for members in the first location only',
    'readTotals',
    'for (const $location of $totals.locations) {',
    'for (const $location of $totals.locations.slice(0, 1)) {',
  ),
  bug(
    'recheck no members after an index',
    'rechecksMembers',
    "return $cause === 'changed' &&",
    "return false && $cause === 'changed' &&",
  ),
  bug(
    'acknowledge a target that could not be computed for now',
    'computeTarget',
    'leftBy($error, $message, $engine)',
    'undefined',
  ),
  bug(
    'take what an index shows for a member',
    'Totals.isMember',
    '$locations.find(($one) => isInLocation($table, $item, $one)) === $location &&',
    '',
  ),
  bug(
    'count a member for every target in whose location it is',
    'Totals.isMember',
    'targetsOf($table, $aggregate, $item).some(($target) => sameKey($target, $key))',
    'true',
  ),
  bug(
    'keep an attribute for which there is no member any more',
    'planTotals',
    'if ($value === undefined) $remove.push($name);',
    'if ($value === undefined) continue;',
  ),
  bug(
    'pass over the members beyond the limit',
    'Totals.add',
    'if (this.members > this.aggregate.limit) throw this.tooMany();',
    'if (this.members > this.aggregate.limit) return;',
  ),
  bug(
    'compute an item that is a target no more',
    'compute',
    '$target === undefined || !isOfKind($registry.table, $aggregate.on, $target)',
    '$target === undefined',
  ),
  bug(
    'compute a target that is not there',
    'compute',
    'const $target = await $table.get($message.root); if ($target === undefined || !isOfKind($registry.table, $aggregate.on, $target)) break;',
    "const $target = (await $table.get($message.root)) ?? { [$registry.table.pk]: { S: $message.root.pk }, [$registry.table.sk]: { S: $message.root.sk }, [$registry.table.type]: { S: $aggregate.on.type ?? '' } }; if (!isOfKind($registry.table, $aggregate.on, $target)) break;",
  ),
  bug(
    'compute no target of which what is read changes',
    'watchesTarget',
    '|| $aggregate.reads.target.includes($attribute)',
    '',
  ),
  bug('read the first page of members only', 'readTotals', 'while ($from !== undefined);', 'while (false);'),
  bug(
    'compute one aggregate of a target for all',
    'onceEachTarget',
    'JSON.stringify([$aggregate.name, keyText($target)])',
    'keyText($target)',
  ),
  bug(
    'merge messages of one target for several aggregates',
    'oneOfEachTarget',
    'JSON.stringify([$message.rule, keyText($message.root)])',
    'keyText($message.root)',
  ),
  bug(
    'merge changes into a computation of their period that is over',
    'computeOrQueue',
    'if ($aggregate.every === undefined) return await takeMessage($context, $message, $at);',
    `const periods = ((globalThis as any).periods ??= new WeakMap());
    const known = periods.get($context.registry) ?? new Map();
    periods.set($context.registry, known);
    const last = known.get(keyText($message.root)) ?? Number.NEGATIVE_INFINITY;
    const now = $context.clock.now();
    if ($aggregate.every === undefined) return await takeMessage($context, $message, $at);
    if (now - last < $aggregate.every * 1000) return;
    known.set(keyText($message.root), now);`,
  ),
  bug(
    'count a member in each of its locations',
    'Totals.isMember',
    '$locations.find(($one) => isInLocation($table, $item, $one)) === $location',
    'isInLocation($table, $item, $location)',
  ),
  bug(
    'read members eventually consistent',
    'RequestedTable.queryPartition',
    "return this.table.page($location.pk, $location.begins ?? '', $most, $from);",
    `const page = this.table.page($location.pk, $location.begins ?? '', $most, $from);
    const { pk, sk } = this.table.names;
    const late = (item: any) => this.table.readLate({ pk: item[pk].S, sk: item[sk].S }) ?? [];
    return { ...page, entries: page.entries.flatMap(late) };`,
  ),
  bug(
    'judge a member by its new image only',
    'matchAggregates',
    'membersIn($registry.table, $aggregate, $change)',
    'membersIn($registry.table, $aggregate, { ...$change, before: undefined })',
  ),
];
