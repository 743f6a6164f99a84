import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import { requireFilters } from '../dev/event-source/require-filters.ts';
import { requireTable } from '../dev/table/require-table.ts';
import { readTemplate } from '../dev/template.ts';
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
      ...unmet(() => requireTable(registry.table, settings.table)),
      ...unmet(() => requireFilters(registry, settings)),
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

/** What a requirement says that the template does not meet. */
function unmet(require: () => void): Finding[] {
  try {
    require();
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
