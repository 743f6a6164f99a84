import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { drop, failuresView } from '../../../src/cli/page/failures.ts';
import { deadLetterFolder } from '../../../src/develop/dev/queue/dead-letter-folder.ts';
import { newFolder } from '../../suites/new-folder.ts';

const registry = application.registry();
const message = {
  rule: 'username-on-memberships',
  root: { pk: 'USER#1', sk: '#METADATA' },
  cause: 'changed',
  attempts: 0,
};
const deadLetter = JSON.stringify({ code: 'item.invalid', reason: 'It is', message });

test('a drop leaves the dead letters that came after its row was shown', async () => {
  const reader = deadLetterFolder(newFolder());
  await reader.add(deadLetter, 1_000);
  await reader.add(deadLetter, 2_000);
  const [{ id = '', newest = 0 } = {}] = (await failuresView(reader, registry)).failures;
  await reader.add(deadLetter, 3_000);

  expect(await drop(reader, { ids: [id], newest })).toMatchObject({ text: '2 dead letters dropped.' });
  expect((await failuresView(reader, registry)).failures).toMatchObject([{ count: 1, newest: 3_000 }]);
});
