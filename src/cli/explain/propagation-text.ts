import type { PricedStep } from '../../develop/dev/dry-run/priced-table.ts';
import type { Aggregate } from '../../model/aggregate.ts';
import type { WriteUnits } from '../../model/capacity.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import { attribute, type ItemKey, sameKey } from '../../model/item.ts';
import type { PropagationReport } from '../../model/report.ts';
import { pairs, styled } from '../output/terminal.ts';
import { counted, keyJson, number, valueText } from '../output/text.ts';
import { visible, word, words } from '../output/visible.ts';
import { membersIn, type Part, type PlannedPropagation } from './planned-worker.ts';

/** Maximum number of writes of the same shape listed by key. The rest are only counted. */
const maxNamed = 10;

const causes = {
  changed: 'because it changed',
  deleted: 'because it was deleted',
  expired: 'because it has expired',
  check: 'because a copy differs',
  repair: 'as it is now',
} as const;

const causesOfComputation = {
  ...causes,
  changed: 'because a member changed',
  check: 'because it was written',
} as const;

/** Formats a planned propagation or computation as text. */
export function propagationText(propagation: PlannedPropagation, values: boolean): string {
  const { message, aggregate, parts, deadLettered, left } = propagation;
  const [first, ...others] = parts;
  const lines: (readonly [string, string])[] = [
    ...propagation.locations.map(
      (location, index) => [index === 0 ? 'where' : '', locationText(location, message.root)] as const,
    ),
    ...(first === undefined ? [] : firstLines(first, aggregate)),
    ...writeLines(parts, values),
    ...queueLines(others, aggregate === undefined ? 'queries the index' : 'reads the members'),
    ...(left.length === 0
      ? []
      : [['', `${counted(left.length, 'message')} more, not followed because of --pages`] as const]),
    ...deadLettered.map(({ code, reason }) => ['would dead-letter', `${code}: ${visible(reason)}`] as const),
  ];
  const head =
    aggregate === undefined
      ? `${message.rule}: propagation for ${keyJson(message.root)}, ${causes[message.cause]}`
      : `${message.rule}: computation of ${keyJson(message.root)}, ${causesOfComputation[message.cause]}`;
  return `${styled('bold', visible(head))}\n${pairs(lines)}`;
}

function locationText(location: CopyLocation, root: ItemKey): string {
  return location.in === 'key' && sameKey(location, root) ? 'the item itself' : locationWords(location);
}

function firstLines(
  { by, delaySeconds, report, steps }: Part,
  aggregate: Aggregate | undefined,
): (readonly [string, string])[] {
  if (aggregate === undefined)
    return [
      ['read', readText(steps)],
      ['found', foundText(report)],
    ];
  return [
    ...(by === 'end of period'
      ? [['when', `at the end of the target's period of ${delaySeconds} s, through the queue`] as const]
      : []),
    ['read', readText(steps)],
    ...(steps.some(({ does }) => does === 'query')
      ? [
          [
            'members',
            `${number(membersIn({ steps }))}${report.skipped > 0 ? `, of which ${number(report.skipped)} skipped as invalid` : ''}${report.written > 0 ? ', read again as the check of the write' : ''}`,
          ] as const,
        ]
      : []),
    ['found', computedText(report)],
  ];
}

function computedText({ written, unchanged, deadLettered }: PropagationReport): string {
  if (deadLettered > 0) return 'totals that cannot be computed';
  if (written > 0) return 'totals to be written';
  return unchanged > 0 ? 'totals that are right' : 'no target, and makes none';
}

/** The reads of a page, including the reads of the root after it. */
function readText(steps: readonly PricedStep[]): string {
  const reads = (does: 'query' | 'read') =>
    steps.filter((step): step is Extract<PricedStep, { readUnits: number }> => step.does === does);
  const told = (
    [
      ['query', 'queries'],
      ['read', 'items'],
    ] as const
  ).flatMap(([does, many]) => {
    const some = reads(does);
    const units = some.reduce((sum, step) => sum + step.readUnits, 0);
    const what = some.length === 1 ? (does === 'read' ? 'item' : does) : many;
    return some.length === 0 ? [] : [`${number(some.length)} ${what}, ${number(units)} RCU`];
  });
  return told.join('; ') || 'nothing';
}

function foundText(report: PropagationReport): string {
  const { written, removed, unchanged, orphans, foreign, deadLettered } = report;
  const told = [
    [written, 'to be written'],
    [removed, 'to be removed or cleared'],
    [unchanged, 'already right'],
    [orphans, 'without a root'],
    [foreign, 'not of this root'],
    [deadLettered, 'to be dead-lettered'],
  ] as const;
  const some = told.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return some.join(', ') || 'no copy';
}

type Write = Extract<PricedStep, { does: 'update' | 'remove' | 'create' }>;

function writeLines(parts: readonly Part[], values: boolean): (readonly [string, string])[] {
  const writes = parts.flatMap(({ steps }) =>
    steps.filter(
      (step): step is Write => step.does === 'update' || step.does === 'remove' || step.does === 'create',
    ),
  );
  const shapes = Map.groupBy(writes, shapeText);
  return [...shapes].flatMap(([shape, alike]) => {
    const does = alike[0]?.does ?? 'update';
    const verb = does === 'update' ? 'write' : does;
    const named = alike
      .slice(0, maxNamed)
      .flatMap((write) => [
        ['', `${keyJson(keyOfWrite(write))}  ${unitsText(write.writeUnits)}`] as const,
        ...(values ? valueLines(write) : []),
      ]);
    const more = alike.length - maxNamed;
    return [[verb, shape], ...named, ...(more > 0 ? [['', `and ${number(more)} more alike`] as const] : [])];
  });
}

function keyOfWrite(write: Write) {
  if (write.does === 'create') return write.creation.key;
  return write.does === 'update' ? write.update.key : write.removal.key;
}

/** DynamoDB returns attributes in any order, so this sorts them. */
function shapeText(write: Write): string {
  if (write.does === 'create') return `${changesText(write)}, if no item has its key${rootText(write)}`;
  const { expect } = write.does === 'update' ? write.update : write.removal;
  const names = Object.keys(expect).sort();
  const stands =
    names.length === 0 ? '' : ` and ${words(names)} ${names.length === 1 ? 'is' : 'are'} as read`;
  return `${changesText(write)}, if it exists${stands}${rootText(write)}`;
}

function changesText(write: Write): string {
  if (write.does === 'create') return `put it with ${words(Object.keys(write.after).sort())}`;
  if (write.does === 'remove')
    return write.removal.clear === undefined
      ? 'delete it'
      : `remove ${words(write.removal.clear.toSorted())}`;
  const { set, remove } = write.update;
  const sets = Object.keys(set).sort();
  return [
    ...(sets.length > 0 ? [`set ${words(sets)}`] : []),
    ...(remove.length > 0 ? [`remove ${words(remove.toSorted())}`] : []),
  ].join('; ');
}

function rootText(write: Write): string {
  if (write.does === 'update') return '';
  const { expect } = write.root;
  if (expect === 'absent') return ' and its root does not exist';
  return ` and its root is still as read (${words(Object.keys(expect).sort())})`;
}

function valueLines({ before = {}, after }: Write): (readonly [string, string])[] {
  if (after === undefined) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .sort()
    .map((name) => ({ name, was: valueText(attribute(before, name)), is: valueText(attribute(after, name)) }))
    .filter(({ was, is }) => was !== is)
    .map(({ name, was, is }) => ['', `  ${word(name)}: ${was} → ${is}`] as const);
}

function queueLines(parts: readonly Part[], again: string): (readonly [string, string])[] {
  const rest = parts.filter(({ by }) => by === 'queue');
  const recheck = parts.filter(({ by }) => by === 'recheck');
  const lines = [
    ...(rest.length === 0
      ? []
      : [`the rest, ${counted(rest.length, 'message')}: ${counted(writesIn(rest), 'write')}`]),
    ...(recheck.length === 0
      ? []
      : [
          `recheck in ${recheck[0]?.delaySeconds} s, ${counted(recheck.length, 'message')}: ${again} again, ${counted(writesIn(recheck), 'write')}`,
        ]),
  ];
  return lines.map((line, index) => [index === 0 ? 'queue' : '', line]);
}

function writesIn(parts: readonly Part[]): number {
  return parts.reduce((sum, { report }) => sum + report.written + report.removed, 0);
}

/** Describes a location of copies in words. */
export function locationWords(location: CopyLocation): string {
  if (location.in === 'key') return `the key ${keyJson(location)}`;
  if (location.in === 'keys') return `the keys ${location.keys.map(keyJson).join(', ') || '(none)'}`;
  const begins = location.begins === undefined ? '' : `, sort keys that begin with ${word(location.begins)}`;
  const where =
    location.in === 'index'
      ? `index ${location.index}, partition ${word(location.pk)}`
      : `the partition ${word(location.pk)}`;
  return `${where}${begins}`;
}

/** For example `2 WCU (table 1, GSI1 1)`. Indexes that are not written are left out. */
export function unitsText({ table, indexes, total }: WriteUnits): string {
  const arms = Object.entries(indexes)
    .filter(([, units]) => units > 0)
    .map(([name, units]) => `, ${name} ${number(units)}`);
  return `${number(total)} WCU (table ${number(table)}${arms.join('')})`;
}
