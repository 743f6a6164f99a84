/** What a project's application imports: reading what was denormalized. It loads neither an SDK nor the worker. */
export type { PartitionQuery } from './key-range.ts';
export type { KeyValue } from './key-value.ts';
export { type MergedPage, type MergedPagesOptions, mergedPages } from './merged-pages.ts';
export type { QueryClient, QueryRequest, QueryResult, ReadItem } from './partition-reader.ts';
