import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { GSI1, table } from '../../src/table.ts';

/** A folder in another one, or topmost. Applications move them, also into circles. */
const folder = defineKind({
  name: 'Folder',
  type: 'Folder',
  pk: 'FOLDER#{folder}',
  sk: 'FOLDER',
  attributes: z.object({
    Title: z.string(),
    ParentId: z.string().min(1).optional(),
    ParentPath: z.string().optional(),
    Ancestors: z.array(z.string()).optional(),
  }),
  examples: ['A', 'AA', 'AAA'].map((ParentId) => ({ ParentId })),
  keys: { GSI1: { pk: 'PARENT#{ParentId}', sk: 'FOLDER#{folder}' } },
});

const folderPath = defineRule({
  name: 'folder-path',
  root: folder,
  copy: folder,
  reads: { root: ['ParentPath', 'Title'], copy: ['ParentId'] },
  located: { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: `PARENT#${ids.folder}` }) },
  rootOf: ({ ParentId }) => (ParentId === undefined ? undefined : folder.key({ folder: ParentId })),
  ancestors: { Ancestors: 'folder' },
  derive: {
    ParentPath: ({ root }) =>
      [...(root.ParentPath === undefined ? [] : [root.ParentPath]), root.Title].join('/'),
  },
  onDelete: 'keep',
  onExpire: 'keep',
  onUnlink: 'clear',
});

export function folders(): Registry {
  return defineConfig({ table, rules: [folderPath] }).registry();
}
