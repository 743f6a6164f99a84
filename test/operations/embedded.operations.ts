import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { fullTableSuite } from './full-table.suite.ts';

fullTableSuite(startEmbeddedTableServer, 1000, ['order-date-on-items'], false);
