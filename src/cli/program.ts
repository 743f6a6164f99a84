import { Command, Option } from 'commander';
import type { KeyNames } from '../model/items/table-names.ts';
import { commandGroups } from './commands.ts';
import { printsJson } from './output/json.ts';
import { exampleKeys } from './output/text.ts';
import { paragraphs } from './output/visible.ts';
import { version } from './own-package.ts';
import { nameProject } from './project.ts';

/** @param table names the keys in examples of the help */
export function denorm(table: KeyNames): Command {
  const program = new Command('denorm')
    .usage('<command> [options]')
    .description(
      'Keeps denormalized copies in DynamoDB equal to their root.\n\n' +
        'The deployed worker is a set of Lambda functions. These commands inspect and operate it, or run it on this machine.',
    )
    .addHelpText(
      'after',
      () =>
        '\nExit codes:\n  0  success\n  1  findings, nothing to look at, or work that failed or is unfinished\n  2  wrong usage, an invalid rule, or a table, stack, bucket or file that is missing or unreachable\n\n' +
        `Item keys are written as JSON: '${exampleKeys.root(table)}'`,
    )
    .addHelpText('beforeAll', ({ command }) => {
      refuseUnknown(command);
      return '';
    })
    .addOption(configOption())
    .version(version, '--version', 'prints the version')
    // `archive show` has its own --version.
    .enablePositionalOptions();

  for (const [heading, commands] of Object.entries(commandGroups))
    for (const [name, { description }] of Object.entries(commands))
      program.addCommand(prepared(new Command(name).description(description).helpGroup(heading)));
  program
    .hook('preSubcommand', (_, command) => complete(command, table))
    // Commander's own would print the help of a command that is not loaded.
    .helpCommand(false)
    .addCommand(
      prepared(
        new Command('help')
          .description('Prints what `denorm <command> --help` prints.')
          .helpGroup('Start:')
          .argument('[name...]')
          .action(async (names: readonly string[]) => {
            await program.parseAsync([...names, '--help'], { from: 'user' });
          }),
      ),
    )
    .showHelpAfterError('(--help lists the commands)')
    .exitOverride();
  return program;
}

function configOption(): Option {
  return new Option(
    '--config <file>',
    'the project (default: denorm.config.ts in this folder, or the nearest above it)',
  ).argParser(nameProject);
}

/** Makes a command and its subcommands take `--config` after their name, too. */
function takesConfig(command: Command): void {
  command.addOption(configOption().hideHelp());
  command.commands.forEach(takesConfig);
}

/** Commander prints the help of the command above for an unknown command with `--help`: parsed without it, it is refused. */
function refuseUnknown(command: Command): void {
  const [name] = command.args;
  if (name === undefined || name.startsWith('-') || command.commands.length === 0) return;
  if (!command.commands.some((one) => one.name() === name)) command.parse([name], { from: 'user' });
}

/** Makes a command and its subcommands throw instead of ending the process. */
function prepared(command: Command): Command {
  for (const below of command.commands) prepared(below);
  if (command.commands.length > 0) command.usage('<command> [options]');
  return command
    .exitOverride()
    .showHelpAfterError(`(--help lists the ${command.commands.length > 0 ? 'commands' : 'options'})`)
    .configureOutput({
      writeOut: (text) => process.stdout.write(paragraphs(text)),
      // The error itself is reported then.
      ...(printsJson && { writeErr: () => {} }),
    });
}

async function complete(command: Command, table: KeyNames): Promise<void> {
  const called = new Map(Object.values(commandGroups).flatMap(Object.entries)).get(command.name());
  if (called === undefined) return;
  // Items are in what a command writes, except for the files of the project itself: other users may not read it.
  if (!called.writesProject) process.umask(0o077);
  prepared((await called.load())(command, table));
  if (!called.withoutProject) takesConfig(command);
}
