import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { requireFilters } from '../dev/event-source/require-filters.ts';
import { readTemplate, type TableDefinition, type TemplateSettings } from '../dev/template.ts';
import { DenormError } from '../model/errors.ts';
import type { Registry } from '../model/registry.ts';
import type { TableNames } from '../model/table-names.ts';
import type { Finding } from './finding.ts';
import { missingHandlers } from './missing-handlers.ts';

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
      ...handlersOf(path),
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
        `Expected ${what} in template.yaml to be ${wanted}, as denorm.config.ts says, found ${found}: correct the config, or run \`npx denorm template\``,
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

function handlersOf(path: string): Finding[] {
  return missingHandlers(dirname(path), readFileSync(path, 'utf8')).map(({ id, file, maker }) => ({
    about: 'handlers',
    subject: id,
    says: `Expected the handler of ${id} in ${file}, found no such file: ${
      maker === undefined
        ? 'add it, or correct the template'
        : `add it, with \`export const handler = ${maker}(config)\``
    }`,
  }));
}
