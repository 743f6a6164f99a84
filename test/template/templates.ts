import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import shipped from '../../denorm.config.ts';
import { projectStack, stackText } from '../../src/deploy/stack-template.ts';
import { type Config, defineConfig } from '../../src/model/rules/config.ts';
import { archiveOnly, blog, everything, manyKinds } from '../deploy/configs.ts';
import { projectTemplate } from './template-lint.ts';

/** A parameter of each type that a config may have. */
const parameters = {
  Whole: z.int().min(1).max(100).default(1).describe('A whole number from 1 to 100'),
  Share: z.number().gt(0).max(1).default(0.5),
  Flag: z.boolean().default(false),
  Tier: z.enum(['small', 'large']).default('small'),
  Level: z.literal([1, 2, 3]).default(2),
  Prefix: z
    .string()
    .min(1)
    .max(20)
    .regex(/^[a-z]+-$/)
    .default('app-')
    .describe("What names begin with: 'app-', say"),
  Free: z.string().default('no'),
};

const eightKinds = manyKinds(8);

const generated = {
  'a blog without an archive': blog,
  everything,
  'an archive without a sweep': archiveOnly,
  'eight kinds and parameters of each type': {
    ...defineConfig({ table: eightKinds.table, rules: [], parameters }),
    registry: () => eightKinds.registry(),
  },
};

export interface TestedTemplate {
  readonly name: string;
  readonly path: string;
  readonly config: Config;
}

/** The repository's own template, and generated ones in a folder that goes with the process. */
export const templates: readonly TestedTemplate[] = [
  { name: 'the repository', path: projectTemplate, config: shipped },
  ...Object.entries(generated).map(([name, config]) => {
    const folder = mkdtempSync(join(tmpdir(), 'denorm-generated-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'template.yaml');
    writeFileSync(path, stackText(projectStack({ config }), '1.2.3'));
    return { name, path, config };
  }),
];
