import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { Message } from '../../../src/model/work/message.ts';
import { nothing } from '../../../src/operate/drift/repair.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import { anIncident, aParticipation } from '../../fixtures/world/items.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const ann = keyIn(aParticipation('ann'));
const wrong = [anIncident(), aParticipation('ann', { Lead: 'Erik' })];

/** The propagation that such a finding asks for. */
const annsTurn: Message = {
  rule: 'incident-on-participations',
  root: keyIn(anIncident()),
  cause: 'repair',
  copies: [ann],
  attempts: 0,
};

describe('the outcome of propagations', () => {
  test('has the writes of a stopped propagation, and lists it as unfinished', async () => {
    const users = Array.from({ length: 700 }, (_, n) => aParticipation(`user ${n}`, { Lead: 'Erik' }));
    const search = new WorldSearch([anIncident(), ...users]);
    const { copies: _, ...whole } = annsTurn;

    const stop = () => search.port.counts.update > 0;

    expect(await search.propagations({ stop }).take([whole])).toEqual({
      ...nothing,
      ...{ written: 500, unfinished: [whole] },
    });
  });

  test('lists a propagation that was interrupted during a read as unfinished', async () => {
    const { search, found } = await drifted(wrong);
    search.port.before = () => {
      throw new Interrupted();
    };

    const outcome = await search.propagations().repair(found);

    expect(outcome).toEqual({ ...nothing, unfinished: [annsTurn], postponed: found });
  });
});

describe('a copy that a repair leaves alone', () => {
  test('is reported with the current reason, not with that of an earlier propagation', async () => {
    const { search, found } = await drifted(wrong);
    const propagations = search.propagations();
    search.table.put(aParticipation('ann', { Lead: 'Erik', Notes: 'vegetarian' }));
    expect((await propagations.repair(found)).leftAlone).toEqual([
      {
        ...{ rule: 'incident-on-participations', copy: ann, root: keyIn(anIncident()), code: 'unmapped' },
        reason: expect.stringContaining('attributes that no rule names'),
      },
    ]);

    search.table.put(anIncident({ State: undefined }));

    expect((await propagations.repair(found)).leftAlone).toMatchObject([{ code: 'root.invalid', copy: ann }]);
  });
});

async function drifted(items: readonly Item[]) {
  const search = new WorldSearch(items);
  await search.run();
  search.port.counts.update = 0;
  return { search, found: search.found };
}
