import { onTestFinished } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { createTable } from '../../../src/dev/table/create-table.ts';
import { table } from '../../../src/table.ts';
import { settings } from '../../fixtures/application/stack.ts';

/** The table of the stack `prod`, on this server. */
export async function prodTable(endpoint: string): Promise<ApplicationTable> {
  await createTable(endpoint, 'prod-table', settings.table);
  const application = new ApplicationTable(endpoint, 'prod-table', table);
  onTestFinished(() => application.close());
  return application;
}
