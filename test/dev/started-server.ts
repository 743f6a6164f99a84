// Starts an embedded server, prints its address, and waits to be killed.
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';

const { endpoint, pid } = await startEmbeddedTableServer();
console.log(JSON.stringify({ endpoint, pid }));
