import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { requireFilters } from '../dev/event-source/require-filters.ts';
import { readTemplate, type TableDefinition, type TemplateSettings } from '../dev/template.ts';
import { parseTemplate } from '../dev/template-values.ts';
import { DenormError } from '../model/errors.ts';
import type { Registry } from '../model/registry.ts';
import type { TableNames } from '../model/table-names.ts';
import type { Finding } from './finding.ts';

/**
 * Compares a template with the project: names of the table, filters, and the files of its functions. A project without a
 * template has nothing to compare.
 */
export function checkTemplate(registry: Registry, path: string): readonly Finding[] {
  if (!existsSync(path)) return [];
  try {
    const settings = readTemplate(path);
    return [
      ...differences(registry.table, settings.table).map(about),
      ...filtersOf(registry, settings),
      ...missingHandlers(path),
    ];
  } catch (error) {
    if (error instanceof DenormError) return [about(error.message)];
    throw error;
  }
}

function about(says: string): Finding {
  return { about: 'template', subject: 'template.yaml', says };
}

/** How the template's table differs from the names of the config. */
function differences(names: TableNames, table: TableDefinition): string[] {
  const indexes = new Map(
    table.GlobalSecondaryIndexes.map((index) => [index.IndexName, keysOf(index.KeySchema)]),
  );
  const ttl = table.TimeToLiveSpecification?.AttributeName;
  const view = table.StreamSpecification.StreamViewType;
  return [
    ...differs('the keys of the table', keysOf(table.KeySchema), `${names.pk} and ${names.sk}`),
    ...Object.values(names.indexes).flatMap(({ name, pk, sk }) =>
      differs(`the keys of the index ${name}`, indexes.get(name) ?? 'no such index', `${pk} and ${sk}`),
    ),
    ...differs('the TTL attribute', ttl ?? 'none', names.ttl),
    ...differs('the view type of the stream', view, 'NEW_AND_OLD_IMAGES'),
  ];
}

function differs(what: string, found: string, wanted: string): string[] {
  return found === wanted
    ? []
    : [
        `Expected ${what} in template.yaml to be ${wanted}, as denorm.config.ts says, found ${found}: change one of them`,
      ];
}

function keysOf(schema: TableDefinition['KeySchema']): string {
  const named = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return [named('HASH'), named('RANGE')].filter((name) => name !== undefined).join(' and ');
}

function filtersOf(registry: Registry, settings: TemplateSettings): Finding[] {
  try {
    requireFilters(registry, settings);
    return [];
  } catch (error) {
    if (error instanceof DenormError) return [about(error.message)];
    throw error;
  }
}

const functionSchema = z.object({
  CodeUri: z.string().optional(),
  Handler: z.string().optional(),
});
const buildSchema = z.object({
  BuildProperties: z.object({ EntryPoints: z.array(z.string()) }),
});

/** Functions whose file does not exist: what `sam build` would stop at. */
function missingHandlers(path: string): Finding[] {
  const template = parseTemplate(readFileSync(path, 'utf8'));
  return Object.entries(template.Resources).flatMap(([id, { Type, Metadata, Properties }]) => {
    if (Type !== 'AWS::Serverless::Function') return [];
    const given = functionSchema.safeParse({ ...template.Globals.Function, ...Properties });
    const folder = given.data?.CodeUri;
    if (folder === undefined) return [];
    const built = buildSchema.safeParse(Metadata).data?.BuildProperties.EntryPoints;
    return (built ?? []).flatMap((file): Finding[] => {
      const relative = join(folder, file);
      if (existsSync(join(dirname(path), relative))) return [];
      const says = `Expected the handler of ${id} in ${relative}, found no such file: add it, with \`export const handler = ${makerOf(file)}(config)\``;
      return [{ about: 'handlers', subject: id, says }];
    });
  });
}

/** The function of `stream-denormalizer/lambda` for a file: `fanOutHandler` for `fan-out.ts`. */
function makerOf(file: string): string {
  const words = basename(file)
    .replace(/\.\w+$/, '')
    .split('-');
  return `${words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')}Handler`;
}
