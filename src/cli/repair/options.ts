import type { SearchOptions } from '../drift/search-table.ts';
export interface RepairOptions extends SearchOptions {
  readonly plan?: string;
  readonly dryRun?: true;
  readonly allowRemove?: true;
  readonly resume?: true;
  readonly json?: true;
}
