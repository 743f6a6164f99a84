import { fullTableSuite } from './full-table.suite.ts';

fullTableSuite('embedded', 1000, ['order-date-on-items'], false);
