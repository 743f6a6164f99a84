import { fullTableSuite } from './full-table.suite.ts';

fullTableSuite('MiniStack', 1000, ['order-date-on-items'], false);
