import { liveTableSuite } from './live-table.suite.ts';

liveTableSuite(100);
