import type { ChangeCost, RuleCost } from '../../explain/cost/cost.ts';
import { assumed, gbSeconds, prices } from '../../explain/cost/prices.ts';
import { describeLocation } from '../../explain/description.ts';
import { counted, number } from '../../model/basics/text.ts';
import { tableOf } from '../output/table.ts';
import { styled } from '../output/terminal.ts';
import { paragraphs } from '../output/wrapped.ts';

export interface Uncounted {
  readonly rule: string;
  readonly why: string;
}

export interface CostReport {
  readonly costs: readonly RuleCost[];
  readonly uncounted: readonly Uncounted[];
  readonly windowSeconds: number;
}

export function costJson({ costs, uncounted, windowSeconds }: CostReport) {
  return {
    prices,
    assumed,
    windowSeconds,
    rules: costs.map(({ rule, attribute, itemBytes, fanOuts, created }) => ({
      rule: rule.name,
      changes: attribute ?? null,
      itemBytes,
      fanOuts: fanOuts.map(changeJson),
      ...(created !== undefined && { created: changeJson(created) }),
    })),
    uncounted,
  };
}

function changeJson({ fanOut, counts, dollars }: ChangeCost) {
  return { fanOut, ...counts, gbSeconds: gbSeconds(counts.milliseconds), dollarsOfAMillion: dollars };
}

export function costText({ costs, uncounted, windowSeconds }: CostReport): string {
  const notes = [
    ...(costs.some(({ created }) => created !== undefined) ? [paragraphs(ofCreations)] : []),
    ...(costs.length === 0 ? [] : [paragraphs(footnotes(windowSeconds))]),
  ];
  const without = uncounted.map(({ rule, why }) => `${styled('bold', rule)}  not counted: ${why}`);
  return [...costs.map(tableText), ...without, ...notes].join('\n\n');
}

function tableText({ rule, attribute, itemBytes, fanOuts, created }: RuleCost): string {
  const rows = fanOuts.map((cost) => row(number(cost.fanOut), cost));
  if (created !== undefined) rows.push(row(`${number(created.fanOut)} created`, created));
  const lines = [
    `${styled('bold', rule.name)}  ${described(rule)}`,
    `${attribute === undefined ? 'a member is added' : `'${attribute}' changes`}; items of ${size(itemBytes)}`,
  ];
  const head = [
    ...[
      rule.is === 'aggregate' ? 'members' : 'copies',
      'requests',
      'read units',
      'write units',
      'SQS requests',
    ],
    ...['invocations', 'GB-s', '$ a million changes', 'of it writes'],
  ];
  return [...lines, tableOf(head, rows, ['GB-s', 'SQS requests', 'invocations'])].join('\n');
}

function described(rule: RuleCost['rule']): string {
  if (rule.is === 'aggregate')
    return `${rule.of.name} → ${rule.on.name}, ${rule.ledger ? 'by a ledger' : rule.members.map((location) => describeLocation(location)).join(', and ')}`;
  const to = rule.located.in === 'itself' ? 'the item itself' : rule.copy.name;
  return `${rule.root.name} → ${to}, ${describeLocation(rule.located)}`;
}

function row(label: string, { counts, dollars }: ChangeCost): string[] {
  return [
    label,
    ...[counts.requests, counts.readUnits, counts.writeUnits].map(number),
    ...[counts.sqsRequests, counts.invocations].map(number),
    gbSeconds(counts.milliseconds).toFixed(3),
    ...[dollars.total, dollars.writes].map(money),
  ];
}

function money(dollars: number): string {
  return dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function size(bytes: number): string {
  return bytes < 1024 ? counted(bytes, 'byte') : `${number(bytes / 1024)} KB`;
}

const ofCreations = `A row of copies that are created is of a new root. The worker puts them in transactions, on condition that their keys are free
and that the root is as read: two units for each KB, and two for each KB of the root.`;

function footnotes(windowSeconds: number): string {
  return `Numbers are of one change of a root, alone: changes that come together share invocations and cost less. They contain the
worker's writes, the checks of these writes when they come back on the stream (batching window: ${windowSeconds} s), the recheck of
an index, and Archive where its filters pass the items. A handler of your own that reads nothing and checks nothing pays for the
writes all the same.

Left out: the application's own write of the root, the stream (free for Lambda), other rules on the same root, rules whose root is
a copy that is written, storage, alarms and metrics, replicas, retries, provisioned capacity and the free tier.
Prices: lists of ${prices.region}, on demand, ${prices.of}. Assumed: ${assumed.request} ms a request, ${assumed.invocation} ms an invocation besides, ${assumed.memoryMb} MB, ${assumed.copy} ms
of a core for each copy, and ${assumed.logBytes} bytes of logs an invocation.`;
}
