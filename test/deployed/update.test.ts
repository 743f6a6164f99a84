import { describe, expect, it } from 'vitest';
import { pageLimit } from './deployed-stack.setup.ts';
import { application, cloud, stack } from './here.ts';
import { incidentItems, userItems } from './items.ts';
import { deploy } from './stack.ts';

describe('an update of the running stack', () => {
  it('loses no change that is written during the update', async () => {
    const incident = incidentItems(3);
    const user = userItems(3);
    await application.put({ ...incident.root, ...incident.said }, ...incident.copies);
    await application.put({ ...user.root, ...user.said }, ...user.copies);
    const written: ReturnType<typeof incidentItems>[] = [];
    let updating = true;
    const writing = (async () => {
      for (let count = 1; updating; count += 1) {
        await application.set(incident.root, { Title: `Title ${count}` });
        await application.set(user.root, { username: `name-${count}` });
        const another = incidentItems(2);
        await application.put({ ...another.root, ...another.said, State: 'CLOSED' }, ...another.copies);
        written.push(another);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const parameters = { PageLimit: String(pageLimit), RecheckDelaySeconds: '2', LogLevel: 'WARN' };
    const updated = await deploy(cloud, stack.name, parameters);
    updating = false;
    await writing;
    expect(updated.table).toBe(stack.table);
    expect(written.length).toBeGreaterThan(10);
    const { Title } = (await application.get(incident.root)) ?? {};
    const { username } = (await application.get(user.root)) ?? {};
    for (const copy of incident.copies) await application.holds(copy, { Title });
    for (const copy of user.copies) await application.holds(copy, { username });
    for (const { copies } of written)
      for (const copy of copies) await application.holds(copy, { GSI1SK: 'CLOSED#2021-02-24T19:28:41Z' });
    console.log(`${written.length} incidents were written while the stack was updated; none was lost`);
  });
});
