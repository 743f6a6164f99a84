import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onFailureFolder, onFailureRecord } from '../../../src/dev/event-source/on-failure-folder.ts';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import { controls, isPrintable } from '../../fixtures/hostile-items.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, startDev, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';

const { newTable } = embeddedTables();

const evil = Object.values(controls).join('');
const incident = {
  ...{
    PK: `acct_${evil}#inc`,
    SK: 'inc_1',
    [evil]: evil,
    Title: evil,
    State: evil,
    CreatedAt: 1_614_194_921,
  },
};
const expiring = { ...incident, PK: `acct_${evil}2#inc`, ExpiresAt: 4_000_000_000 };
const participation = {
  ...{ PK: `acct_${evil}#inc_1#incpart`, SK: 'user_1', ParticipantID: 'user_1', GSI1PK: 'a' },
};
const keyOf = ({ PK, SK }: { readonly PK: string; readonly SK: string }) => JSON.stringify({ PK, SK });

/** A stream record with text for which DynamoDB has no place, as a forger may write it into a failure object. */
const forged = {
  ...{ eventID: evil, eventName: 'INSERT' as const, eventSource: 'aws:dynamodb' },
  dynamodb: { Keys: { PK: { S: evil }, SK: { S: evil } }, SequenceNumber: evil },
};

const image = Object.fromEntries(Object.entries(incident).map(([name, text]) => [name, { S: String(text) }]));
const record = {
  ...{ eventID: '1', eventName: 'INSERT', eventSource: 'aws:dynamodb' },
  dynamodb: { Keys: { PK: image['PK'], SK: image['SK'] }, NewImage: image, SequenceNumber: '1' },
};

/** What is wrong with what a command printed: hostile text that is not visible, or is not there at all. */
function faultOf(
  name: string | undefined,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
) {
  if (!isPrintable(`${stdout}${stderr}`)) return [`${name} prints ${JSON.stringify(stdout + stderr)}`];
  return `${stdout}${stderr}`.includes('FORGED') ? [] : [`${name} shows none of it: ${stdout}${stderr}`];
}

test('every command shows hostile text as escapes, which are the same text in JSON', async () => {
  const { application, at } = await newTable();
  const cwd = newFolder();
  const deadLetters = deadLetterFolder(join(cwd, '.denorm'));
  const dev = await startDev(at, cwd);
  for (const item of [participation, incident, expiring]) await application.put(item);
  await application.put({ ...incident, SK: 'inc_2', State: 1 });
  await application.put({ ...participation, PK: participation.PK.replace('inc_1', 'inc_2') });
  await until(() => /1 written[\s\S]*dead-lettered/.test(dev.stdout()), 'a propagation and a dead letter');
  const archived = () => readdirSync(join(cwd, '.denorm'), { recursive: true });
  await until(() => archived().some((path) => /@\d{8}$/.test(String(path))), 'an archived item');
  dev.process.kill('SIGTERM');
  await dev.exited;
  const faults = faultOf('dev', { stdout: dev.stdout(), stderr: dev.stderr() });

  await application.put({ ...expiring, SK: 'inc_3' });
  await application.put({ ...participation, [evil]: 'old', [`${evil}2`]: 'unknown' });
  const message = { rule: evil, root: { pk: evil, sk: evil }, cause: 'changed' as const, attempts: 0 };
  const deadLettered = { code: evil, reason: `${evil}\ud800`, message };
  await deadLetters.deadLetter([deadLettered]);
  const batch = onFailureRecord({
    ...{
      functionName: 'Propagate',
      records: [forged],
      streamArn: 'arn:aws:dynamodb:us-east-1:1:table/t/stream/1',
    },
    ...{
      shardId: evil.replaceAll('\0', ''),
      condition: 'RetryAttemptsExhausted',
      invocations: 11,
      threw: true,
    },
  });
  await onFailureFolder(join(cwd, '.denorm'))(batch, 'Propagate');
  writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: [record, forged] }));

  const archive = ['--state-dir', '.denorm'];
  const printing: readonly (readonly string[])[] = [
    ['explain', keyOf(incident), '--show-values', ...at],
    ['explain', keyOf({ PK: evil, SK: evil }), ...at],
    ['explain', 'event.json', ...at],
    ['verify', '--grace', '0', ...at],
    ['repair', '--grace', '0', '--dry-run', '--allow-remove', ...at],
    ['check', '--no-types', ...at],
    ['sweep', '--dry-run', ...at, ...archive],
    ['archive', 'list', ...archive],
    ['archive', 'show', keyOf(expiring), ...archive],
    ['archive', 'restore', keyOf(expiring), '--json', ...at, ...archive],
    ['archive', 'audit', '--grace', '0', ...at, ...archive],
    ['dlq', 'list'],
    ['dlq', 'show', keyOf({ PK: evil, SK: evil })],
    ['dlq', 'redrive', '--all', '--dry-run', ...at],
  ];
  for (const args of printing) faults.push(...faultOf(args[0], await run(args, cwd)));
  expect(faults).toEqual([]);

  for (const args of [printing[0], printing[3], printing[8], printing[11]]) {
    const { stdout } = await run([...(args ?? []), '--json'], cwd);
    expect(isPrintable(stdout)).toBe(true);
    const values = args?.[0] === 'verify' ? stdout.trim().split('\n') : [stdout];
    expect(JSON.stringify(values.map((text) => JSON.parse(text)))).toContain(
      JSON.stringify(evil).slice(1, -1),
    );
  }
});
