import type { Command } from 'commander';

/** A command whose module, with all that it imports, is loaded when it is called. */
export interface LazyCommand {
  readonly name: string;
  readonly description: string;
  /** Whether it needs no project, and so no `--config`. */
  readonly withoutProject?: true;
  /** Whether what it writes are files of the project, and not items. */
  readonly writesProject?: true;
  /** Returns the function that adds arguments, options, subcommands and the action. */
  readonly load: () => Promise<(command: Command) => Command>;
}

export const commands: readonly LazyCommand[] = [
  {
    name: 'init',
    withoutProject: true,
    writesProject: true,
    description:
      'Makes a project: a config, a table, items, rules with their tests, handlers and a template.',
    load: async () => (await import('./init/command.ts')).initCommand,
  },
  {
    name: 'dev',
    description: 'Runs an embedded DynamoDB and the worker until Ctrl-C.',
    load: async () => (await import('./dev/command.ts')).devCommand,
  },
  {
    name: 'check',
    description:
      'Finds mistakes in the project before anything runs: types, rules, kinds, template, handlers. With a table, also compares them with some of its items. Writes nothing.',
    load: async () => (await import('./check/command.ts')).checkCommand,
  },
  {
    name: 'explain',
    description:
      'Explains what the worker would do about an item as it is now, or about an event: which rules match and why, where copies and members are, each write with its condition, and the cost. Writes nothing.',
    load: async () => (await import('./explain/command.ts')).explainCommand,
  },
  {
    name: 'cost',
    description:
      'Counts what a change of a root costs, for each rule, and of a member, for each aggregate: requests, capacity units, invocations, and US dollars for a million changes. Needs no table and no AWS.',
    load: async () => (await import('./cost/command.ts')).costCommand,
  },
  {
    name: 'rules',
    description:
      'Prints every rule in words. With --diff, prints what differs from another version and the backfills to run.',
    load: async () => (await import('./rules/command.ts')).rulesCommand,
  },
  {
    name: 'template',
    writesProject: true,
    description: 'Writes template.yaml, the stack that denorm.config.ts asks for.',
    load: async () => (await import('./template/command.ts')).templateCommand,
  },
  {
    name: 'simulate',
    description:
      'Proves or refutes the promises of the worker for the rules of this project, in a simulated world full of failures. Needs no table and writes nothing.',
    load: async () => (await import('./simulate/command.ts')).simulateCommand,
  },
  {
    name: 'verify',
    description: 'Compares copies with their roots and reports drift. Writes nothing.',
    load: async () => (await import('./drift/command.ts')).verifyCommand,
  },
  {
    name: 'repair',
    description: 'Finds drift as `denorm verify` does, and runs propagations that correct it.',
    load: async () => (await import('./drift/command.ts')).repairCommand,
  },
  {
    name: 'backfill',
    description: 'Runs a propagation for every root of a rule: for a new rule on existing items.',
    load: async () => (await import('./drift/command.ts')).backfillCommand,
  },
  {
    name: 'watch',
    description:
      'Serves a read-only page on a deployed stack until Ctrl-C: metrics, dead letters, and any item.',
    load: async () => (await import('./watch/command.ts')).watchCommand,
  },
  {
    name: 'dlq',
    description:
      'Lists, shows, redrives and drops all that failed: dead letters, and batches that Lambda put into the failure bucket.',
    load: async () => (await import('./dlq/command.ts')).dlqCommand,
  },
  {
    name: 'sweep',
    description: 'Archives finished items, then sets their TTL.',
    load: async () => (await import('./sweep/command.ts')).sweepCommand,
  },
  {
    name: 'archive',
    description: 'Lists, shows, restores and audits archived items.',
    load: async () => (await import('./archive/command.ts')).archiveCommand,
  },
  {
    name: 'setup-sam',
    withoutProject: true,
    description: 'Installs SAM CLI and MiniStack, an emulator of AWS, in .venv-sam of this folder.',
    load: async () => (await import('./setup-sam/command.ts')).setupSamCommand,
  },
];
