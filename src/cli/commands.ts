import type { Command } from 'commander';
import type { KeyNames } from '../model/items/table-names.ts';

/** A command whose module, with all that it imports, is loaded when it is called. */
export interface LazyCommand {
  /** Fits into a line of the list. */
  readonly description: string;
  /** Whether it needs no project, and so no `--config`. */
  readonly withoutProject?: true;
  /** Whether what it writes are files of the project, and not items. */
  readonly writesProject?: true;
  /** Returns the function that adds arguments, options, subcommands and the action. Examples of keys have the names of the table. */
  readonly load: () => Promise<(command: Command, table: KeyNames) => Command>;
}

/** The commands, by their heading in the list and by their name. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, LazyCommand>>>> = {
  'Start:': {
    init: {
      withoutProject: true,
      writesProject: true,
      description: 'Makes a project: config, items, rules, tests, a template.',
      load: async () => (await import('./init/command.ts')).initCommand,
    },
    pull: {
      withoutProject: true,
      writesProject: true,
      description: 'Makes a project of what the items of a table show.',
      load: async () => (await import('./pull/command.ts')).pullCommand,
    },
    dev: {
      description: 'Runs an embedded DynamoDB, the worker and a page.',
      load: async () => (await import('./dev/command.ts')).devCommand,
    },
    check: {
      description: 'Finds mistakes in the project, and in items of a table.',
      load: async () => (await import('./check/command.ts')).checkCommand,
    },
    rules: {
      description: 'Prints the rules in words, or what differs in a branch.',
      load: async () => (await import('./rules/command.ts')).rulesCommand,
    },
    explain: {
      description: 'Explains what the worker would do about an item or event.',
      load: async () => (await import('./explain/command.ts')).explainCommand,
    },
    simulate: {
      description: 'Tests the rules in a simulated world full of failures.',
      load: async () => (await import('./simulate/command.ts')).simulateCommand,
    },
  },
  'Deploy:': {
    template: {
      writesProject: true,
      description: 'Writes template.yaml, the stack of denorm.config.ts.',
      load: async () => (await import('./template/command.ts')).templateCommand,
    },
    cost: {
      description: 'Prices a change of a root, or of a member, by each rule.',
      load: async () => (await import('./cost/command.ts')).costCommand,
    },
    smoke: {
      description: 'Proves every rule on a deployed stack, with own items.',
      load: async () => (await import('./smoke/command.ts')).smokeCommand,
    },
  },
  'Operate:': {
    verify: {
      description: 'Compares copies with their roots. Writes nothing.',
      load: async () => (await import('./drift/command.ts')).verifyCommand,
    },
    repair: {
      description: 'Corrects what `denorm verify` finds, by propagations.',
      load: async () => (await import('./drift/command.ts')).repairCommand,
    },
    backfill: {
      description: 'Propagates every root of a rule: for a new rule.',
      load: async () => (await import('./drift/command.ts')).backfillCommand,
    },
    replay: {
      description: 'Runs again what changed since a time of the last day.',
      load: async () => (await import('./replay/command.ts')).replayCommand,
    },
    pause: {
      description: 'Pauses a rule: what matches it waits.',
      load: async () => (await import('./pause/command.ts')).pauseCommand,
    },
    resume: {
      description: 'Ends the pause of a rule.',
      load: async () => (await import('./pause/command.ts')).resumeCommand,
    },
    dlq: {
      description: 'Lists, shows, redrives and drops all that failed.',
      load: async () => (await import('./dlq/command.ts')).dlqCommand,
    },
    watch: {
      description: 'Serves a read-only page on a deployed stack.',
      load: async () => (await import('./watch/command.ts')).watchCommand,
    },
    sweep: {
      description: 'Archives finished items, then sets their TTL.',
      load: async () => (await import('./sweep/command.ts')).sweepCommand,
    },
  },
  'Archive:': {
    archive: {
      description: 'Lists, shows, restores and audits archived items.',
      load: async () => (await import('./archive/command.ts')).archiveCommand,
    },
  },
};
