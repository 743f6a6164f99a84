import { describe, expect, onTestFinished, test, vi } from 'vitest';
import config from '../../../denorm.config.ts';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { incidentCloses } from '../../../scripts/demo/incident-closes.ts';
import type { Stage } from '../../../scripts/demo/stage.ts';
import { votesCount } from '../../../scripts/demo/votes-count.ts';
import { openDevEnvironment } from '../../../src/dev/dev-environment.ts';
import { table } from '../../../src/table.ts';
import { runNode } from '../../cli/denorm.ts';
import { scriptOnScreen } from '../../cli/screen.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { settings } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('the demo plays its three stories and ends with 0', async () => {
  const { code, stdout } = await runNode(['scripts/demo/main.ts']);

  expect(stdout).toContain('All 3 stories ended as expected');
  expect(stdout.match(/^\d\. /gm)).toHaveLength(3);
  expect(code).toBe(0);
});

test('the demo fits a terminal of 80 columns', async () => {
  const { code, text, faults } = await scriptOnScreen(['scripts/demo/main.ts'], process.cwd());

  expect(faults).toEqual([]);
  expect(text).toMatch(/ Status +TRIGGERED → RESOLVED/);
  expect(code).toBe(0);
});

describe('a story fails when its rule is switched off:', () => {
  test.each([
    ['incident-on-participations', incidentCloses],
    ['head-to-head-keys', votesCount],
    ['contender-totals', votesCount],
    ['leaderboard-keys', votesCount],
  ])('%s', { timeout: 30_000 }, async (rule, story) => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const path = newFolder();
    const registry =
      story === votesCount
        ? config.registry({ disabled: [rule] })
        : loadRules({ statusShards: 1, disabled: [rule] });
    const devEnvironment = await openDevEnvironment({
      registry,
      stack: settings,
      tableName: 'demo',
      stateDir: path,
    });
    onTestFinished(() => devEnvironment.close());
    const application = new ApplicationTable(devEnvironment.endpoint, 'demo', table);
    onTestFinished(() => application.close());
    const stage: Stage = {
      application,
      worker: devEnvironment,
      deadline: 1_000,
      archived: async () => undefined,
      holdsExactly: async () => false,
    };

    await expect(story.tell(stage)).rejects.toThrow(/and this did not happen/);
  });
});
