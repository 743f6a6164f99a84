import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { lastWordsOf } from '../../dev/errors.ts';
import type { Description } from '../../explain/description.ts';
import { visible } from '../../model/basics/text.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { UsageError } from '../errors.ts';
import { styled } from '../output/terminal.ts';
import { loadProject } from '../project.ts';

export interface RuleChange extends Pick<Description, 'rule' | 'type'> {
  readonly is: 'new' | 'removed' | 'changed';
  /** The entries of each field that differs, before and after, without those that both versions have. */
  readonly fields: Readonly<
    Record<string, { readonly before: readonly string[]; readonly after: readonly string[] }>
  >;
  /** Whether existing copies or totals change only with a backfill, or with the next change of their root or members. */
  readonly backfill: boolean;
}

/**
 * The fields whose change concerns existing copies and totals: any change of `always`; of `added` only a new entry, because what
 * a rule no longer writes stays as it is.
 */
const written: Readonly<
  Record<Description['type'], { always: readonly string[]; added: readonly string[] }>
> = {
  rule: {
    always: ['root', 'copy', 'located', 'rootOf', 'when', 'own', 'unknown'],
    added: ['creates', 'copies', 'derive'],
  },
  aggregate: { always: ['of', 'on', 'members', 'targetsOf'], added: ['computes', 'creates', 'onEmpty'] },
  archive: { always: [], added: [] },
};

export function compareRules(
  before: readonly Description[],
  after: readonly Description[],
): readonly RuleChange[] {
  const [old, now] = [before, after].map((rules) => new Map(rules.map((one) => [one.rule, one])));
  return [...new Set([...after, ...before].map(({ rule }) => rule))].flatMap((rule) =>
    changeOf(old?.get(rule), now?.get(rule)),
  );
}

function changeOf(before: Description | undefined, after: Description | undefined): RuleChange[] {
  const one = after ?? before;
  if (one === undefined) return [];
  const names = new Set([before, after].flatMap((version) => Object.keys(version?.fields ?? {})));
  const fields = [...names].flatMap((name) => {
    const [was, is] = [before?.fields[name] ?? [], after?.fields[name] ?? []];
    const difference = { before: without(was, is), after: without(is, was) };
    return [...difference.before, ...difference.after].length === 0 ? [] : [[name, difference] as const];
  });
  if (fields.length === 0) return [];
  const { always, added } = written[one.type];
  // A rule that copies all copies what it derives no more.
  const isMirror = after?.fields['copies']?.includes('all') === true;
  const backfill =
    after !== undefined &&
    fields.some(
      ([name, difference]) =>
        (before !== undefined && always.includes(name)) ||
        (added.includes(name) && (isMirror || difference.after.length > 0)),
    );
  const is = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
  return [{ rule: one.rule, type: one.type, is, fields: Object.fromEntries(fields), backfill }];
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((entry) => !others.includes(entry));
}

/**
 * A comparison as text: the entries of each field that are gone and new, then the commands to run.
 * @param from the version before
 */
export function changesText(from: string, changes: readonly RuleChange[]): string {
  const notCompared = 'Not compared: schemas, and code that functions call or run beside their pattern.';
  if (changes.length === 0) return `No field of a rule differs from ${from}.\n${notCompared}`;
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...changes.map(changeText),
    notCompared,
    afterwards(changes),
  ].join('\n\n');
}

function changeText({ rule, is, fields }: RuleChange): string {
  const notes = { changed: '', new: ' is new', removed: ' is removed: what it wrote stays as it is' };
  const lines = Object.entries(fields).flatMap(([field, { before, after }]) => [
    `  ${field}`,
    ...before.map((entry) => styled('red', `    - ${visible(entry)}`)),
    ...after.map((entry) => styled('green', `    + ${visible(entry)}`)),
  ]);
  return [`${styled('bold', rule)}${notes[is]}`, ...lines].join('\n');
}

function afterwards(changes: readonly RuleChange[]): string {
  const rules = changes.filter(({ backfill }) => backfill).map(({ rule }) => rule);
  if (rules.length === 0) return 'No copy and no total needs an update.';
  return [
    'Copies follow when their root changes next, and totals when a member does; what a rule no longer writes stays. To update all of them once this is deployed:\n',
    ...rules.map((rule) => `  $ npx denorm backfill --rule ${rule} --stack <name>`),
  ].join('\n');
}

const run = promisify(execFile);

/**
 * Loads the rules of a config, disabled ones included.
 * @param called the name of the version in messages
 * @throws UsageError `usage.rules` if they do not load
 */
export async function rulesIn(file: string, called: string): Promise<Registry> {
  const refusal = (why: string, cause?: unknown) =>
    new UsageError('usage.rules', `Expected the rules of ${called} to load, but ${why}`, { cause });
  if (!existsSync(file)) throw refusal(`${basename(file)} is missing`);
  try {
    return (await loadProject(file)).config.registry({ disabled: [] });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw refusal(`they do not: ${why}`, error);
  }
}

/**
 * Copies the source code of a git ref to a temporary folder that shares this working tree's packages. Does
 * not change the repository.
 * @throws UsageError `usage.git` or `usage.ref`
 */
export async function checkedOut(root: string, ref: string) {
  const commit = await commitOf(root, ref);
  const folder = await mkdtemp(join(tmpdir(), 'denorm-rules-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'sources.tar');
    await run('git', ['-C', root, 'archive', '--format=tar', `--output=${archive}`, commit]);
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) await symlink(join(root, 'node_modules'), packages, 'junction');
    return { commit, folder, remove };
  } catch (cause) {
    await remove();
    const message = `Expected git and tar to extract the sources of ${ref}, but they failed (${lastWordsOf(cause)}): check that both are installed`;
    throw new UsageError('usage.git', message, { cause });
  }
}

async function commitOf(root: string, ref: string): Promise<string> {
  const git = (...args: string[]) => run('git', ['-C', root, 'rev-parse', ...args]);
  const refusal = (code: string, message: string, cause: unknown) => {
    throw new UsageError(code, message, { cause });
  };
  const outside = (cause: unknown) =>
    refusal(
      'usage.git',
      `Expected ${root} to be in a git repository, to compare its rules with ${ref}, but git refuses it (${lastWordsOf(cause)}): check that, and that git is installed`,
      cause,
    );
  const unknown = `Expected a branch, a tag or a commit of this repository, got '${ref}', which git does not know: fetch it first, or name another`;
  await git('--git-dir').catch(outside);
  return git('--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).then(
    ({ stdout }) => stdout.trim(),
    (cause: unknown) => refusal('usage.ref', unknown, cause),
  );
}
