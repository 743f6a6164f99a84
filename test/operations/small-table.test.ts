import { fullTableSuite } from './full-table.suite.ts';

fullTableSuite('embedded', 22, ['username-on-memberships', 'order-date-on-items'], true);
