import { Command } from 'commander';
import { commandGroups } from '../../src/cli/commands.ts';

/** Every command that a user can call, from the list of the program itself, with its options: `dlq list`. */
export async function everyCommand(): Promise<ReadonlyMap<string, Command>> {
  const commands = await Promise.all(
    Object.values(commandGroups)
      .flatMap(Object.entries)
      .map(async ([name, { load }]) => (await load())(new Command(name), { pk: 'PK', sk: 'SK' })),
  );
  return new Map(
    commands.flatMap((command): [string, Command][] => [
      [command.name(), command],
      ...command.commands.map((below: Command): [string, Command] => [
        `${command.name()} ${below.name()}`,
        below,
      ]),
    ]),
  );
}
