import { defineConfig } from 'stream-denormalizer';
import { table } from '../../../src/table.ts';

export default defineConfig({ table, rules: [] });
