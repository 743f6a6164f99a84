import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { stackSettings } from '../../src/deploy/stack-settings.ts';
import { projectStack } from '../../src/deploy/stack-template.ts';
import { type ChangeCost, costOf } from '../../src/explain/cost/cost.ts';
import { contenderTotals } from '../../src/rules/contender-totals.ts';
import likes from '../fixtures/likes/denorm.config.ts';
import { bound } from '../fixtures/model/bound.ts';

const registry = config.registry();
const stack = stackSettings(projectStack({ config }));

test('docs/deploy.md and README.md say the costs of this repository’s rules', async () => {
  const columns = [1, 5, 500];
  for (const rule of registry.rules) {
    const options = { stack, registry, fanOuts: columns, itemBytes: 1024 };
    const { attributes, fanOuts } = await costOf(rule, options);
    const cells = columns.map((column) => both(fanOuts.find(({ fanOut }) => fanOut === column)));

    expect(page('docs/deploy.md')).toContain(
      `| \`${rule.name}\`, \`${attributes.join()}\` | ${cells.join(' | ')} |`,
    );
    if (rule.name === 'username-on-memberships') {
      const { dollars } = fanOuts[1] ?? expect.fail('no row');
      expect(page('README.md')).toContain(
        `a million renames with 5 memberships of 1 KB each cost $${money(dollars.total)}, of it $${money(dollars.writes)} for the writes`,
      );
    }
  }
});

test('docs/aggregates.md says the costs of members in a partition and in an index', async () => {
  const members = [10, 200, 2_000];
  const costs = await Promise.all(
    ['partition', 'index'].map((where) => {
      const only = contenderTotals.members.filter((location) => location.in === where);
      const options = { stack, registry, fanOuts: members, itemBytes: 200 };
      return costOf(bound({ ...contenderTotals, members: only }, options.registry.table), options);
    }),
  );
  for (const [index, count] of members.entries()) {
    const cells = costs.map(({ fanOuts }) => {
      const { counts, dollars } = fanOuts[index] ?? expect.fail('no row');
      return `${counts.readUnits.toLocaleString('en-US')} | ${money(dollars.total)}`;
    });

    expect(page('docs/aggregates.md')).toContain(
      `| ${count.toLocaleString('en-US')} | ${cells.join(' | ')} |`,
    );
  }
});

test('docs/aggregates.md says what the last members cost, however many there are', async () => {
  const costs = await Promise.all(
    (['partition', 'index'] as const).map(async (where) => {
      const only = contenderTotals.members.filter((location) => location.in === where);
      const members = only.map((location) => ({ ...location, first: undefined, last: 10 }));
      const options = { stack, registry, fanOuts: [20, 2_000], itemBytes: 200 };
      const { fanOuts } = await costOf(bound({ ...contenderTotals, members }, registry.table), options);
      return fanOuts.map(({ counts, dollars }) => `${counts.readUnits} | ${money(dollars.total)}`);
    }),
  );
  for (const index of [0, 1])
    expect(page('docs/aggregates.md')).toContain(
      `| 10 of any number, by \`last\` | ${costs.map((cells) => cells[index]).join(' | ')} |`,
    );
});

test('docs/aggregates.md says what a change costs with a ledger', async () => {
  const { aggregates } = likes.registry();
  const [aggregate = expect.fail('no aggregate')] = aggregates;
  const own = stackSettings(projectStack({ config: likes }));
  const options = { stack: own, registry: likes.registry(), fanOuts: [10, 2_000, 100_000], itemBytes: 200 };
  const { fanOuts } = await costOf(aggregate, options);
  const sentences = fanOuts.map(
    ({ counts }) =>
      `${counts.requests} requests, ${counts.readUnits} read units and ${counts.writeUnits} write units`,
  );
  // Of few members, two records may come in one invocation.
  const dollars = Math.max(...fanOuts.map((one) => one.dollars.total));

  expect(new Set(sentences)).toEqual(new Set([sentences[0]]));
  expect(page('docs/aggregates.md').replaceAll('\n', ' ')).toContain(
    `${sentences[0]}, $${money(dollars)} a million`,
  );
});

function both(cost: ChangeCost | undefined): string {
  return cost === undefined ? '' : `${money(cost.dollars.total)} (${money(cost.dollars.writes)})`;
}

function money(dollars: number): string {
  return dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function page(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
