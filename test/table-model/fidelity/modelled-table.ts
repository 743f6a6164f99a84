import { ModelRefusal } from '../../../src/develop/testing/table-model/impossible-item.ts';
import { ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../src/develop/testing/table-model/model-table-port.ts';
import { names } from '../../worker/adapters/dynamodb/table-fixture.ts';
import { type Answer, answerOfPort } from './answers.ts';
import type { Operation } from './operations.ts';

/** The model, asked. */
export class ModelledTable {
  readonly table = new ModelTable(names);
  private readonly port = new ModelTablePort(this.table);

  async ask(operation: Operation): Promise<Answer> {
    try {
      switch (operation.is) {
        case 'put':
          return this.table.put(operation.item, operation.on) ? 'written' : 'lost';
        case 'change':
          return this.table.update(operation.key, operation, operation.on) ? 'written' : 'lost';
        case 'delete':
          return this.table.delete(operation.key, operation.on) ? 'written' : 'lost';
        default:
          return await answerOfPort(this.port, operation);
      }
    } catch (error) {
      if (error instanceof ModelRefusal) return 'refused';
      throw error;
    }
  }
}
