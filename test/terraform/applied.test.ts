import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { applicationOf } from '../deployed/application.ts';
import { incidentItems } from '../deployed/items.ts';
import { type MiniStack, startMiniStack } from '../deployed/ministack.ts';
import { allow, policyOf } from '../deployed/role-policies.ts';
import { type Clients, clientsOf, environment } from '../deployed/stack.ts';
import { type Ended, outside, shell, succeeds } from '../package/shell.ts';

/** Where a machine without a network may have the provider, in a version that does not know Node 24 yet. */
const mirror = '/opt/tf-plugins';
const hasMirror = existsSync(mirror);

const around = `
provider "aws" { s3_use_path_style = true }
variable "ArchiveEnabled" { default = true }
variable "SweepEnabled" { default = false }
resource "aws_sns_topic" "alarms" {}
resource "aws_kms_key" "own" {}
resource "aws_dynamodb_table" "app" {
  name             = "app"
  billing_mode     = "PAY_PER_REQUEST"
  hash_key         = "PK"
  range_key        = "SK"
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"
  dynamic "attribute" {
    for_each = ["PK", "SK"]
    content {
      name = attribute.value
      type = "S"
    }
  }
}
`;
/** The example of the page, with keys that Terraform knows only when it has made them. */
const page = readFileSync(join(projectFolder, 'docs/existing-stacks.md'), 'utf8');
const [, example = ''] = /```hcl\n(module "denorm" \{\n[^}]*)\}\n```/.exec(page) ?? [];
const more = ['TableKmsKeyArn', 'StackKmsKeyArn'].map((name) => `  ${name} = aws_kms_key.own.arn\n`);
const passed = ['ArchiveEnabled', 'SweepEnabled'].map((name) => `  ${name} = var.${name}\n`);

describe.runIf(spawnSync('terraform', ['-version']).status === 0)('the module of Terraform', () => {
  const { folder, remove } = outside();
  let ministack: MiniStack;
  let clients: Clients;

  const terraform = (command: string): Promise<Ended> =>
    shell(`terraform ${command} -no-color`, folder, {
      ...environment(ministack),
      ...{ CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: undefined },
    });

  beforeAll(async () => {
    ministack = await startMiniStack();
    clients = clientsOf(ministack);
    writeFileSync(join(folder, 'main.tf'), [around, example, ...more, ...passed, '}\n'].join(''));
    await succeeds(`node bin/node-24.mjs bin/denorm.mjs template --folder '${folder}/denorm'`, projectFolder);
    const file = join(folder, 'denorm/main.tf.json');
    if (hasMirror)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replaceAll('nodejs24.x', 'nodejs22.x').replace('>= 6.19', '>= 5.100'),
      );
    expect(await terraform(hasMirror ? `init -plugin-dir=${mirror}` : 'init')).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await ministack.stop();
    remove();
  });

  test('refuses what a stack refuses, before anything is made', async () => {
    const { code, stderr } = await terraform(
      'plan -input=false -var SweepEnabled=true -var ArchiveEnabled=false',
    );

    expect({ code, stderr: stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 1,
      stderr: expect.stringContaining('SweepEnabled requires ArchiveEnabled, because swept items'),
    });
  });

  test('is applied, and the copies of an existing table follow their root', async () => {
    expect(await terraform('apply -auto-approve')).toMatchObject({ code: 0 });
    for (const name of ['Propagate', 'FanOut']) {
      const policy = await policyOf(clients, `shop-prod-${name}`);
      await allow(clients, policy, policy.statements);
    }
    const application = applicationOf(clients.application, 'app');
    const { root, said, copies } = incidentItems(3);
    await application.put({ ...root, ...said }, ...copies);
    await application.put({ ...root, ...said, State: 'CLOSED' });
    for (const copy of copies) await application.holds(copy, { State: 'CLOSED' });
  });
});
