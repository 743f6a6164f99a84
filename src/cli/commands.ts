import type { Command } from 'commander';

/** A command whose module, with all that it imports, is loaded when it is called. */
export interface LazyCommand {
  readonly name: string;
  /** Fits into a line of the list. */
  readonly description: string;
  /** Whether it needs no project, and so no `--config`. */
  readonly withoutProject?: true;
  /** Whether what it writes are files of the project, and not items. */
  readonly writesProject?: true;
  /** Returns the function that adds arguments, options, subcommands and the action. */
  readonly load: () => Promise<(command: Command) => Command>;
}

/** By their heading in the list. */
export const commandGroups: Readonly<Record<string, readonly LazyCommand[]>> = {
  'Start:': [
    {
      name: 'init',
      withoutProject: true,
      writesProject: true,
      description: 'Makes a project: config, items, rules, tests, a template.',
      load: async () => (await import('./init/command.ts')).initCommand,
    },
    {
      name: 'dev',
      description: 'Runs an embedded DynamoDB, the worker and a page.',
      load: async () => (await import('./dev/command.ts')).devCommand,
    },
    {
      name: 'check',
      description: 'Finds mistakes in the project, and in items of a table.',
      load: async () => (await import('./check/command.ts')).checkCommand,
    },
    {
      name: 'rules',
      description: 'Prints the rules in words, or what differs in a branch.',
      load: async () => (await import('./rules/command.ts')).rulesCommand,
    },
    {
      name: 'explain',
      description: 'Explains what the worker would do about an item or event.',
      load: async () => (await import('./explain/command.ts')).explainCommand,
    },
    {
      name: 'simulate',
      description: 'Tests the rules in a simulated world full of failures.',
      load: async () => (await import('./simulate/command.ts')).simulateCommand,
    },
  ],
  'Deploy:': [
    {
      name: 'template',
      writesProject: true,
      description: 'Writes template.yaml, the stack of denorm.config.ts.',
      load: async () => (await import('./template/command.ts')).templateCommand,
    },
    {
      name: 'cost',
      description: 'Prices a change of a root, or of a member, by each rule.',
      load: async () => (await import('./cost/command.ts')).costCommand,
    },
    {
      name: 'setup-sam',
      withoutProject: true,
      description: 'Installs SAM CLI and MiniStack in .venv-sam.',
      load: async () => (await import('./setup-sam/command.ts')).setupSamCommand,
    },
    {
      name: 'emulator',
      withoutProject: true,
      description: 'Runs MiniStack, an emulator of AWS, until Ctrl-C.',
      load: async () => (await import('./emulator/command.ts')).emulatorCommand,
    },
  ],
  'Operate:': [
    {
      name: 'smoke',
      description: 'Proves every rule on a deployed stack, with items of its own.',
      load: async () => (await import('./smoke/command.ts')).smokeCommand,
    },
    {
      name: 'verify',
      description: 'Compares copies with their roots. Writes nothing.',
      load: async () => (await import('./drift/command.ts')).verifyCommand,
    },
    {
      name: 'repair',
      description: 'Corrects what `denorm verify` finds, by propagations.',
      load: async () => (await import('./drift/command.ts')).repairCommand,
    },
    {
      name: 'backfill',
      description: 'Propagates every root of a rule: for a new rule.',
      load: async () => (await import('./drift/command.ts')).backfillCommand,
    },
    {
      name: 'dlq',
      description: 'Lists, shows, redrives and drops all that failed.',
      load: async () => (await import('./dlq/command.ts')).dlqCommand,
    },
    {
      name: 'watch',
      description: 'Serves a read-only page on a deployed stack.',
      load: async () => (await import('./watch/command.ts')).watchCommand,
    },
    {
      name: 'sweep',
      description: 'Archives finished items, then sets their TTL.',
      load: async () => (await import('./sweep/command.ts')).sweepCommand,
    },
  ],
  'Archive:': [
    {
      name: 'archive',
      description: 'Lists, shows, restores and audits archived items.',
      load: async () => (await import('./archive/command.ts')).archiveCommand,
    },
  ],
};
