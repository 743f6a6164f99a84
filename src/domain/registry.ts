import { RuleError } from './errors.ts';
import type { AnyKind } from './kind.ts';
import type { Rule } from './rule.ts';
import { checkRules } from './rule-checks.ts';
import type { TableNames } from './table-names.ts';

/** The archive rule: which kinds must stand in the archive before they expire. */
export interface ArchiveRule {
  readonly name: string;
  readonly kinds: readonly AnyKind[];
}

/** All that the engine knows of the data: the table's names and the rules, checked. */
export interface Registry {
  readonly table: TableNames;
  readonly rules: readonly Rule[];
  readonly archive: ArchiveRule | undefined;
  /** The rule of this name, or undefined: a message may come from an older deployment. */
  rule(name: string): Rule | undefined;
}

/**
 * Checks the rules against one another and makes the registry that the engine works with.
 * @param disabled names of rules that are switched off; they are still checked
 * @throws RuleError for the first rule that must not run, or for a disabled name that is no rule's
 */
export function makeRegistry(
  table: TableNames,
  rules: readonly Rule[],
  archive?: ArchiveRule,
  disabled: readonly string[] = [],
): Registry {
  checkRules(table, rules);
  const names = [...rules.map(({ name }) => name), ...(archive === undefined ? [] : [archive.name])];
  for (const name of disabled)
    if (!names.includes(name))
      throw new RuleError(
        'rule.unknown',
        `Expected names of rules to disable among ${names.join(', ')}, got '${name}'`,
        { rule: name },
      );
  const enabled = rules.filter(({ name }) => !disabled.includes(name));
  const byName = new Map(enabled.map((rule) => [rule.name, rule]));
  return {
    table,
    rules: enabled,
    archive: archive !== undefined && !disabled.includes(archive.name) ? archive : undefined,
    rule: (name) => byName.get(name),
  };
}
