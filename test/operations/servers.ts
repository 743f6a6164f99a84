import { startMiniStack } from '../../src/develop/dev/sam/ministack.ts';
import { startEmbeddedTableServer } from '../../src/develop/dev/table/embedded-table-server.ts';

/** What serves DynamoDB on this machine. */
export type ServerName = 'embedded' | 'MiniStack';

export interface Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startServer(name: ServerName): Promise<Server> {
  return name === 'MiniStack' ? startMiniStack() : startEmbeddedTableServer();
}
