import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { fullTableSuite } from './full-table.suite.ts';

fullTableSuite(startEmbeddedTableServer, 22, ['username-on-memberships', 'order-date-on-items'], true);
