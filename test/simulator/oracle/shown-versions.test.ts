import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Item } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { Findings } from '../../../src/simulator/oracle/findings.ts';
import { relationOf } from '../../../src/simulator/oracle/relation.ts';
import { ShownVersions } from '../../../src/simulator/oracle/shown-versions.ts';
import { table } from '../../../src/table.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';

const folder = defineKind({ name: 'Folder', pk: 'FOLDER#{folder}', sk: 'FOLDER', attributes: z.object({}) });
const file = defineKind({ name: 'File', pk: 'FOLDER#{folder}', sk: 'FILE#{file}', attributes: z.object({}) });

const registry = defineConfig({
  table,
  rules: [
    defineRule({
      name: 'all-on-files',
      root: folder,
      copy: file,
      located: { in: 'partition', at: ({ ids }) => ({ pk: folder.pk(ids), begins: 'FILE#' }) },
      rootOf: ({ ids }) => folder.key({ folder: ids.folder }),
      copies: 'all',
      onDelete: 'keep',
      onExpire: 'keep',
    }),
  ],
}).registry();

const named = (SK: string, Name: string, more: Item = {}): Item => ({
  PK: { S: 'FOLDER#1' },
  SK: { S: SK },
  Name: { S: Name },
  ...more,
});
const root = { pk: 'FOLDER#1', sk: 'FOLDER' };

it.each<[string, Item, number, number]>([
  ['got an attribute that no condition could exclude', named('FILE#1', 'two', { Note: { S: 'x' } }), 1, 0],
  ['got another value of what the write compares', named('FILE#1', 'three'), 0, 1],
])('a write planned for the copy as it was is a flip if the copy since %s', (_, now, flips, faults) => {
  const model = new ModelTable(table);
  const findings = new Findings(registry);
  const shown = new ShownVersions(model, findings);
  const [rule] = registry.rules;
  if (rule === undefined) throw new Error('Expected a rule');
  const relation = relationOf(rule);
  model.watcher = (change) => change.key.sk !== 'FOLDER' && shown.forget(relation, change);

  model.put(named('FILE#1', 'two'));
  model.put(named('FOLDER', 'one'));
  model.put({ ...named('FOLDER', ''), Name: now['Name'] ?? { NULL: true } });
  model.put(now);
  const after = { ...now, Name: { S: 'one' } };
  shown.isVersion({ relation, root, before: now, after, where: JSON.stringify(['FOLDER#1', 'FILE#1']) });

  expect(findings.exceptions.get('flips within a propagation')).toBe(flips);
  expect(findings.violations).toHaveLength(faults);
});
