import { startEmbeddedTableServer } from '../../../src/dev/table/embedded-table-server.ts';
import { differencesSuite } from '../../servers/differences.suite.ts';

differencesSuite('dynoxide', startEmbeddedTableServer);
