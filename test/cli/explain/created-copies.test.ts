import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedTableServer } from '../../../src/develop/dev/table/embedded-table-server.ts';
import { itemToJson } from '../../../src/model/dynamodb-json.ts';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { item } from '../../fixtures/model/items.ts';
import { seedTable } from '../../operations/seeded-table.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run } from '../denorm.ts';

let server: Awaited<ReturnType<typeof startEmbeddedTableServer>>;
beforeAll(async () => {
  server = await startEmbeddedTableServer();
});
afterAll(() => server.stop());

const config = fileURLToPath(new URL('../../fixtures/tags/denorm.config.ts', import.meta.url));

/** The configuration beside a template, of which `explain` reads the settings. */
function project(): NodeJS.ProcessEnv {
  const file = join(projectCopy(), 'denorm.config.ts');
  writeFileSync(file, readFileSync(config, 'utf8').replace('../../../src/table.ts', './table.ts'));
  return { DENORM_CONFIG: file };
}

const post = { PK: 'POST#1', SK: 'METADATA', Type: 'Post', Title: 'one', Tags: ['a', 'b'] };
const tagged = (tag: string) => ({ PK: `TAG#${tag}`, SK: 'POST#1', Type: 'TaggedPost', Title: 'one' });

/** A post with two tags, of which the second has no copy. */
async function aTable(name: string): Promise<string[]> {
  const table = await seedTable(server.endpoint, name, [post, tagged('a')], true);
  onTestFinished(() => table.close());
  return ['--endpoint', table.endpoint, '--table', table.name];
}

const creation =
  /create +set PK, SK, Title, Type, if no item has its key, and its root still exists and Tags, Title, Type are as read\n +\{"PK":"TAG#b","SK":"POST#1"\}/;

describe('denorm explain, of a rule that lists keys and creates', () => {
  test('shows the keys of a root, and the copy that would be created', async () => {
    const args = await aTable('explain-root');

    const { stdout } = await run(
      ['explain', '{"PK":"POST#1","SK":"METADATA"}', ...args],
      newFolder(),
      project(),
    );

    expect(stdout).toContain('the keys {"PK":"TAG#a","SK":"POST#1"}, {"PK":"TAG#b","SK":"POST#1"}');
    expect(stdout).toMatch(/1 to write, 1 already right/);
    expect(stdout).toMatch(creation);
  });

  test('says of a key without an item whether a copy is created there, and for which root', async () => {
    const args = await aTable('explain-missing');
    const explained = (tag: string) =>
      run(['explain', `{"PK":"TAG#${tag}","SK":"POST#1"}`, ...args], newFolder(), project());

    const [placed, unplaced] = [await explained('b'), await explained('z')];

    const role = 'post-on-tags  copy of {"PK":"POST#1","SK":"METADATA"}, is checked:';
    expect(placed.stdout).toContain('missing item {"PK":"TAG#b","SK":"POST#1"}, TaggedPost\n');
    expect(placed.stdout).toContain(`${role} its root places a copy here: it is created`);
    expect(placed.stdout).toMatch(creation);
    expect(unplaced.stdout).toContain(`${role} its root places no copy here: never written`);
    expect(unplaced.stdout).not.toContain('create ');
  });

  test('says that a removed copy is checked, and created again', async () => {
    const args = await aTable('explain-removal');
    const cwd = newFolder();
    const record = {
      ...{ eventID: '1', eventName: 'REMOVE', eventSource: 'aws:dynamodb', awsRegion: 'us-east-1' },
      dynamodb: {
        ...{ SequenceNumber: '1', ApproximateCreationDateTime: 1, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        ...{ Keys: { PK: { S: 'TAG#b' }, SK: { S: 'POST#1' } }, OldImage: itemToJson(item(tagged('b'))) },
      },
    };
    writeFileSync(join(cwd, 'event.json'), JSON.stringify({ Records: [record] }));

    const { stdout } = await run(['explain', 'event.json', ...args], cwd, project());

    expect(stdout).toContain(
      'is checked: it is gone, or names this root no longer: it is created again if the root still places it here',
    );
    expect(stdout).toMatch(creation);
  });
});

test('denorm rules says which keys a rule lists, and that it creates copies', async () => {
  const { stdout } = await run(['rules'], newFolder(), { DENORM_CONFIG: config });

  expect(stdout).toMatch(/located +in the keys at TAG#\{each of Tags\} \/ POST#\{post\}/);
  expect(stdout).toMatch(/creates +true/);
});
