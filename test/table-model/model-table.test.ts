import { ModelTable } from '../../src/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/testing/table-model/model-table-port.ts';
import { names } from '../worker/adapters/dynamodb/table-fixture.ts';
import { tablePortSuite } from '../worker/adapters/dynamodb/table-port.suite.ts';

tablePortSuite('the model', async () => {
  const table = new ModelTable(names);
  return {
    ...{ port: new ModelTablePort(table), names },
    put: async (item) => void table.put(item),
    read: async (key) => table.read(key),
    stop: async () => {},
  };
});
