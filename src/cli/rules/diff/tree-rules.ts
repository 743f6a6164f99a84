import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { ArchiveRule } from '../../../model/archive-rule.ts';
import type { AnyKind } from '../../../model/kind.ts';
import type { Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { UsageError } from '../../errors.ts';

/** The rules of one version of the sources. */
export interface TreeRules {
  readonly table: TableNames;
  readonly rules: readonly Rule[];
  readonly archives: readonly ArchiveRule[];
  /** The text of a rule's own file, without comments and white space; undefined where it has none by its name. */
  readonly source: ReadonlyMap<string, string>;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const pattern = z.looseObject({ pattern: z.string() });
const kind = z.custom<AnyKind>(
  (value) =>
    z
      .looseObject({
        name: z.string(),
        pkPattern: pattern,
        skPattern: pattern,
        attributes: z.looseObject({ shape: z.looseObject({}) }),
      })
      .safeParse(value).success,
);
const policy = z.enum(['delete', 'clear', 'keep']);
const names = z.array(z.string()).readonly();

/** A rule of whatever version: what an older one does not know has its default. */
const ruleSchema = z.object({
  name: z.string(),
  root: kind,
  copy: kind,
  reads: z.object({ root: names.default([]), copy: names.default([]) }).default({ root: [], copy: [] }),
  located: z.custom<Rule['located']>((value) => z.looseObject({ in: z.string() }).safeParse(value).success),
  rootOf: z.custom<Rule['rootOf']>(isFunction),
  copies: z.union([z.literal('all'), names]).default([]),
  derive: z.custom<Rule['derive']>((value) => typeof value === 'object').default({}),
  own: names.default([]),
  unknown: z.enum(['keep', 'remove']).default('keep'),
  tenant: z
    .string()
    .optional()
    .transform((name): string | undefined => name),
  onDelete: policy.default('keep'),
  onExpire: policy.default('keep'),
});

const archiveSchema = z.object({
  name: z.string(),
  kinds: z.array(kind).readonly(),
  onDelete: z.enum(['keep', 'erase', 'archive']).default('keep'),
  layout: z.enum(['object', 'batch']).default('object'),
  storageClass: z
    .unknown()
    .optional()
    .transform((name) => name as ArchiveRule['storageClass']),
  ages: z
    .unknown()
    .optional()
    .transform((ages) => ages as ArchiveRule['ages']),
});

const registrySchema = z.object({
  table: z.custom<TableNames>(
    (value) => z.looseObject({ pk: z.string(), indexes: z.looseObject({}) }).safeParse(value).success,
  ),
  rules: z.array(ruleSchema),
  archives: z.array(archiveSchema).optional(),
  archive: archiveSchema.optional(),
});

const moduleSchema = z.object({ loadRules: z.custom<(settings: object) => unknown>(isFunction) });

/**
 * Loads the rules of a version of the sources, by its own `src/rules`.
 * @param called what the version is called in messages
 * @throws UsageError `usage.rules` where they do not load
 */
export async function treeRules(folder: string, called: string): Promise<TreeRules> {
  const index = join(folder, 'src', 'rules', 'index.ts');
  if (!existsSync(index))
    throw new UsageError(
      'usage.rules',
      `Expected rules in src/rules/index.ts of ${called}, found no such file`,
    );
  let registry: unknown;
  try {
    const loaded = moduleSchema.parse(await import(pathToFileURL(index).href));
    registry = loaded.loadRules({ statusShards: 1, disabled: [] });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new UsageError('usage.rules', `Expected the rules of ${called} to load, but they do not: ${why}`, {
      cause: error,
    });
  }
  const known = registrySchema.safeParse(registry);
  if (!known.success)
    throw new UsageError(
      'usage.rules',
      `Expected the rules of ${called} to be as this version knows them, but ${known.error.issues[0]?.path.join('.') ?? 'something'} is not: compare with a later version`,
    );
  const { table, rules, archives, archive } = known.data;
  return {
    table,
    rules,
    archives: archives ?? (archive === undefined ? [] : [archive]),
    source: new Map(
      await Promise.all(rules.map(async ({ name }) => [name, await sourceOf(folder, name)] as const)),
    ),
  };
}

/** What a rule closes over stands in its own file, if anywhere: a function's own text does not show it. */
async function sourceOf(folder: string, rule: string): Promise<string> {
  const text = await readFile(join(folder, 'src', 'rules', `${rule}.ts`), 'utf8').catch(() => '');
  return plainSource(text);
}

/** Source text without comment lines and white space. */
export function plainSource(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/\*|\*)/.test(line))
    .join('')
    .replace(/\s+/g, '');
}
