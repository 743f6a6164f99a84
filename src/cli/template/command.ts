import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { plainStack } from '../../deploy/plain-stack.ts';
import { configStack, isGenerated } from '../../deploy/stack-template.ts';
import { extraName } from '../../deploy/template/extra-template.ts';
import { terraformModule } from '../../deploy/terraform/module.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { RuleSettings } from '../../model/rules/config.ts';
import { handlerFindings } from '../check/template-findings.ts';
import { collected } from '../options/rules-in-force.ts';
import { warn } from '../output/terminal.ts';
import { version } from '../own-package.ts';
import { type Project, project, templateName } from '../project.ts';
import { presentTemplate, templateOf, wantedStack } from './project-templates.ts';

interface TemplateOptions {
  readonly stdout?: true;
  readonly force?: true;
  readonly format?: 'json' | 'terraform';
  readonly folder?: string;
  readonly parameter?: Readonly<Record<string, string>>;
}

export function templateCommand(command: Command): Command {
  return command
    .option('--stdout', 'prints the template and writes nothing')
    .option('--force', 'replaces a template.yaml that this command did not write')
    .addOption(
      new Option(
        '--format <format>',
        'prints the stack for tools without SAM, and writes nothing: its resources as data, or as a module of Terraform',
      ).choices(['json', 'terraform']),
    )
    .option('--folder <folder>', 'writes the module of Terraform here, with the code of its functions')
    .option(
      '--parameter <Name=value>',
      'a value for a parameter without a default, if the rules need one to load; with --format json of any parameter; repeatable',
      collected,
    )
    .addHelpText('after', helpAfter)
    .action(template);
}

const helpAfter = `
The table, the functions with their filters and policies, and the parameters follow from the config; ${extraName} beside it
has your own part, and is merged last. The same config, package version and ${extraName} give the same file, which \`denorm check\`
compares in CI: docs/deploy.md#change-the-template.

With --format or --folder, the stack is for other tools, without ${extraName}: docs/existing-stacks.md.

Examples:
  $ npx denorm template && git diff template.yaml
  $ npx denorm template --format json --parameter ExistingTableName=orders \\
      --parameter ExistingTableStreamArn=arn:aws:dynamodb:… >denorm.json
  $ npx denorm template --folder infra/denorm && terraform -chdir=infra plan`;

async function template(options: TemplateOptions): Promise<void> {
  const { format, folder, parameter = {} } = options;
  const target = await project();
  if (folder !== undefined) return writeModule(target, parameter, folder);
  if (format !== undefined) {
    const stack = format === 'json' ? plainStack(target.config, parameter) : moduleOf(target, parameter);
    process.stdout.write(`${JSON.stringify(stack, null, 2)}\n`);
    return;
  }
  const stack = wantedStack(target, parameter);
  const text = templateOf(stack);
  if (options.stdout) {
    process.stdout.write(text);
    return;
  }
  const file = join(target.folder, templateName);
  await write(file, presentTemplate(target), text, options.force === true);
  for (const { message } of handlerFindings(target, stack)) warn(message);
}

async function write(
  file: string,
  before: string | undefined,
  text: string,
  isForced: boolean,
): Promise<void> {
  if (before === text) {
    console.log(`${templateName} is what denorm.config.ts says`);
    return;
  }
  if (before !== undefined && !isGenerated(before) && !isForced)
    throw new DenormError(
      'template.not-generated',
      `Expected ${templateName} to be a file that this command wrote, found another: \`npx denorm template --stdout | diff ${templateName} -\` ` +
        `shows what would change. Move what you want to keep to ${extraName}, then add --force`,
    );
  // Renamed, so that an interrupted write leaves no half of a template.
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
  const why = before === undefined ? '' : ': `git diff` shows what a deployment will change';
  console.log(`${templateName} written${why}`);
}

type Parameters = RuleSettings['parameters'];

export const moduleOf = ({ config }: Project, parameters: Parameters) =>
  terraformModule(config, parameters, version);

/**
 * Writes the module and the code of its functions.
 * @throws DenormError `sdk.missing` without esbuild, which is a peer
 */
async function writeModule(from: Project, parameters: Parameters, folder: string): Promise<void> {
  const { zippedFunctions } = await import('../../deploy/terraform/zipped-functions.ts').catch((cause) => {
    const message = 'Expected package esbuild, found none: run `npm i -D esbuild`';
    throw new DenormError('sdk.missing', message, { cause });
  });
  const code = zippedFunctions(configStack(from.config, parameters), join(from.folder, 'handlers'));
  const file = join(folder, 'main.tf.json');
  await mkdir(folder, { recursive: true });
  for (const [name, zip] of code) await writeFile(join(folder, name), zip);
  await writeFile(file, `${JSON.stringify(moduleOf(from, parameters), null, 2)}\n`);
  console.log(`${file} written, with ${[...code.keys()].join(', ')}`);
}
