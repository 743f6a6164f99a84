import { setTimeout as delay } from 'node:timers/promises';
import { applicationOf } from '../deployed/application.ts';
import { incidentItems } from '../deployed/items.ts';
import { familyId } from './drifted-items.ts';
import { documentsOf, type SeededTable } from './seeded-table.ts';

/** An application that keeps writing until it is stopped. */
export interface BusyApplication {
  /** Writes so far. */
  writes(): number;
  stop(): Promise<void>;
}

/**
 * Applications as they write to a table of {@link driftedItems}: roots change, copies are overwritten with what was read of
 * their root a moment ago, new roots come with their copies. Roots of which the seed made something wrong are left alone.
 */
export function busyApplication({ client, name }: SeededTable, families: number): BusyApplication {
  const table = applicationOf(documentsOf(client), name);
  let writes = 0;
  let stopped = false;
  let random = 17;
  function any(below: number): number {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  }
  async function write(): Promise<void> {
    // The first root of each kind is the one with which something may be wrong.
    const id = familyId(any(families), 1 + any(5));
    switch (any(5)) {
      case 0:
        return table.set({ PK: `acct_${id}#inc`, SK: `inc_${id}` }, { Title: `title ${writes}` });
      case 1:
        return table.set({ PK: `USER#${id}`, SK: '#METADATA' }, { username: `name ${writes}` });
      case 2: {
        const Status = ['PAID', 'SHIPPED', 'DELIVERED'][any(3)];
        return table.set({ PK: `ORDER#${id}`, SK: 'METADATA' }, { Status });
      }
      case 3: {
        const server = `${id}-0000${any(5)}`;
        return table.set(
          { PK: `SERVER#${server}`, SK: `USER#${id}` },
          { username: 'as somebody remembers it' },
        );
      }
      default: {
        const { root, said, copies } = incidentItems(1, `new${writes}`);
        await table.put({ ...root, ...said });
        return table.put(...copies.map((copy) => ({ ...copy, Title: 'a draft' })));
      }
    }
  }
  const ended = (async () => {
    for (; !stopped; writes += 1) {
      await write();
      await delay(40);
    }
  })();
  return {
    writes: () => writes,
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
