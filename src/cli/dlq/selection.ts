import { type Command, Option } from 'commander';
import type { DeadLetterGroup } from '../../dead-letters/dead-letter-groups.ts';
import { sameKey } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/item-key.ts';

/** Which dead letters a command is about: exactly one of these. */
export interface SelectionOptions {
  readonly id?: string;
  readonly rule?: string;
  readonly all?: true;
}

export function withSelection(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--id <id>',
        'the dead letters of one line: its id, or the key of its root as JSON',
      ).conflicts(['rule', 'all']),
    )
    .addOption(new Option('--rule <name>', 'the dead letters of one rule').conflicts(['id', 'all']))
    .addOption(new Option('--all', 'all dead letters').conflicts(['id', 'rule']));
}

/**
 * The lines that the options name, perhaps none.
 * @throws UsageError where they name nothing, or what is not there
 */
export function selected(
  lines: readonly DeadLetterGroup[],
  { id, rule, all }: SelectionOptions,
  registry: Pick<Registry, 'rules'>,
): readonly DeadLetterGroup[] {
  if (id !== undefined) return linesCalled(lines, id);
  if (rule !== undefined) return linesOfRule(lines, rule, registry);
  if (all) return lines;
  throw new UsageError(
    'usage.selection',
    'Expected one of --id ID, --rule NAME and --all, got none: choose dead letters',
  );
}

/**
 * The line of an id, or of the beginning of one that no other has; all lines about a key.
 * @throws UsageError where there is none
 */
export function linesCalled(lines: readonly DeadLetterGroup[], name: string): readonly DeadLetterGroup[] {
  if (name.trimStart().startsWith('{')) {
    const key = readKey(name);
    const about = lines.filter((line) => line.key !== undefined && sameKey(line.key, key));
    if (about.length > 0) return about;
    throw new UsageError(
      'usage.dead-letter',
      `Expected the key of a dead letter, found none for ${name}: see \`denorm dlq list\``,
    );
  }
  const called = /^[\da-f]{4,12}$/.test(name) ? lines.filter(({ id }) => id.startsWith(name)) : [];
  if (called.length === 1) return called;
  throw new UsageError(
    'usage.dead-letter',
    called.length === 0
      ? `Expected the id of a line, or its first four digits or more, found no line '${name}': see \`denorm dlq list\``
      : `Expected the id of one line, found ${called.length} that begin with ${name}: add digits`,
  );
}

function linesOfRule(
  lines: readonly DeadLetterGroup[],
  name: string,
  { rules }: Pick<Registry, 'rules'>,
): readonly DeadLetterGroup[] {
  const ofRule = lines.filter(({ rule }) => rule === name);
  const known = rules.map((rule) => rule.name);
  if (ofRule.length > 0 || known.includes(name)) return ofRule;
  throw new UsageError(
    'usage.rule',
    `Expected a rule with dead letters, or one of ${known.join(', ')}, got '${name}': see \`denorm dlq list\``,
  );
}
