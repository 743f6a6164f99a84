import { expect, test } from 'vitest';
import { nextCommand, typedCommand } from '../../../src/cli/output/next-command.ts';

test('a command to go on with looks where the one before was told to look', () => {
  const options = { stage: 'prod', table: undefined, parameter: { Shards: '4' }, grace: 5 };

  expect(nextCommand(['repair', '--dry-run'], options)).toBe(
    '$ npx denorm repair --dry-run --stage prod --parameter Shards=4',
  );
});

test('a command to go on with can be pasted into a shell, whatever a key contains', () => {
  expect(nextCommand(['explain', `{"PK":"it's $HOME"}`], {})).toBe(
    `$ npx denorm explain '{"PK":"it'\\''s $HOME"}'`,
  );
});

test('the command for good is the one that was typed, without its dry run', () => {
  const typed = ['node', 'denorm', 'verify', '--rule', 'verify', '--stack', 'a b', '--show-values'];
  const { argv } = process;
  process.argv = typed;
  const command = typedCommand({ verify: ['repair', '--dry-run'], '--show-values': [], '--resume': [] });
  process.argv = argv;

  expect(command).toBe("$ npx denorm repair --dry-run --rule verify --stack 'a b'");
});
