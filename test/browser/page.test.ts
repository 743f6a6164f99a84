import { expect, test } from 'vitest';
import { until } from '../cli/denorm.ts';
import { membership, openedPage, user } from './opened-page.ts';

const userKey = { pk: user.PK, sk: user.SK };

test('shows a change as it comes, the copy that follows it, and both side by side', async () => {
  const { page, app, errors } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  // Otherwise its check may be the one that writes the new name, before the worker has read the change.
  await page.locator('.changes').getByText('checked').waitFor();
  await app.update(userKey, { username: 'Grace' });

  // The put of the user may say 'unchanged'.
  const row = page.locator('.changes > li:has(strong:text-is("User"))').filter({ hasText: /(?<!un)changed/ });
  await row.getByText('1 copy arrived within').waitFor();
  // A check of the copy that has just been put may come first, and write it for the same change.
  await row.getByText(/username-on-memberships 1 (written|unchanged)/).waitFor();
  await row.getByRole('link').click();
  const sides = page.getByRole('region', { name: 'User and Membership, attribute by attribute' });
  const username = sides.getByRole('row', { name: /^username/ });
  await username.waitFor();
  expect((await username.innerText()).split('\t')).toEqual(['username', 'Ada', 'Grace', 'Ada', 'Grace']);
  expect(await username.locator('mark').allInnerTexts()).toEqual(['Grace', 'Grace']);
  expect(errors).toEqual([]);
});

test('marks no map whose keys only come in another order', async () => {
  const { page, app } = await openedPage();
  const numbers = new Set(['b', 'a']);
  await app.put({ ...user, settings: { theme: 'dark', size: { x: 1, y: 2 } }, tags: numbers });
  await app.put({
    ...{ ...user, username: 'Grace', settings: { size: { y: 2, x: 1 }, theme: 'dark' } },
    tags: new Set(['a', 'b']),
  });
  const row = page.locator('.changes > li').filter({ hasText: 'changed' }).first();
  await row.getByRole('link').click();
  await page.getByRole('row', { name: /^settings/ }).waitFor();

  expect(await page.locator('mark').allInnerTexts()).toEqual(['Grace']);
});

test('keeps an open change after 500 later ones, and asks for it no more', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await page.locator('.changes').getByRole('link').first().click();
  const value = page.getByRole('row', { name: 'username – Ada' });
  await value.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (let at = 0; at < 510; at += 1) await app.put({ ...user, PK: `USER#${at + 2}`, userId: `${at + 2}` });
  await until(
    () => page.evaluate<boolean>("fetch('/api/changes/1').then(({ status }) => status === 404)"),
    'it is forgotten',
  );
  await app.put(membership('1'));
  await page.waitForTimeout(1_000);

  expect(await page.getByText('page.not-found').count()).toBe(0);
  expect(await value.count()).toBe(1);
  expect(asked.filter((one) => /api\/changes\/1$/.test(one)).length).toBeLessThan(5);
});

test('says which field of an edit is wrong, and why', async () => {
  const { page, app, url } = await openedPage();
  await app.put(user);
  await page.goto(`${url}#/item?pk=USER%231&sk=%23METADATA`);
  await page.getByLabel('Attribute', { exact: true }).fill('age');
  await page.getByLabel('Type').selectOption('number');
  await page.getByLabel('Value', { exact: true }).fill('many');
  await page.getByRole('button', { name: 'Set' }).click();

  await page.getByText('Expected the value to be a number').waitFor();
});

test('calls no copy a root', async () => {
  const { page, app } = await openedPage();
  await app.put(membership('1'));
  await page.locator('.changes').getByText('checked').waitFor();
  await page.locator('.changes').getByRole('link').click();
  await page.getByRole('columnheader', { name: 'Membership after' }).waitFor();

  expect(await page.getByRole('columnheader', { name: /root|copy/ }).count()).toBe(0);
});

test('edits an attribute by an UpdateItem, and shows what follows', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await page.goto(`${url}#/item`);
  await page.getByLabel('PK').fill(user.PK);
  await page.getByLabel('SK').fill(user.SK);
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('cell', { name: 'it is seen as new' }).waitFor();
  expect(await page.getByText('UpdateItem on the local table').isVisible()).toBe(true);

  await page.getByLabel('Attribute', { exact: true }).fill('username');
  expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('Ada');
  await page.getByLabel('Value', { exact: true }).fill('Grace');
  await page.getByRole('button', { name: 'Set' }).click();

  await page.getByText(/changed: username-on-memberships 1 (written|unchanged)/).waitFor();
  await until(
    async () => (await app.get({ pk: 'SERVER#1', sk: 'USER#1' }))?.['username'] === 'Grace',
    'the membership has the new name',
  );
  expect(await app.get(userKey)).toMatchObject({ username: 'Grace', userId: '1' });
  await page.getByLabel('Type').selectOption('true or false');
  await page.getByLabel('Value', { exact: true }).fill('yes');
  await page.getByRole('button', { name: 'Set' }).click();
  await page.getByText('Expected true or false').waitFor();
  await page.getByLabel('Value', { exact: true }).fill('false');
  await page.getByRole('button', { name: 'Set' }).click();
  await until(async () => (await app.get(userKey))?.['username'] === false, 'the edit');
  expect(errors).toEqual([]);
});

test('runs no script that keys, names or values hold', async () => {
  const { page, app, url, errors } = await openedPage();
  const script = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>';
  const planted = { ...user, PK: `USER#${script}`, username: script, [script]: script };
  await app.put({ ...membership(script), SK: planted.PK, userId: script, GSI1PK: planted.PK });
  await app.put({ ...planted, userId: script });

  const shown = () => page.evaluate<number>("document.querySelectorAll('main img, main script').length");
  const row = page.locator('.changes > li:has(strong:text-is("User"))');
  await row.getByText('arrived within').waitFor();
  await row.getByRole('link').click();
  await page.getByRole('row', { name: /^<img/ }).first().waitFor();
  expect(await shown()).toBe(0);
  await page.goto(`${url}#/item?${new URLSearchParams({ pk: planted.PK, sk: planted.SK })}`);
  await page.getByRole('cell', { name: 'it is seen as new' }).waitFor();
  expect(await shown()).toBe(0);
  expect(await page.evaluate(() => Reflect.has(globalThis, 'pwned'))).toBe(false);
  expect(errors).toEqual([]);
});

test('connects again when denorm dev has ended and started again', async () => {
  const { page, app, dev, restart } = await openedPage();
  await app.put(user);
  await page.getByText('1 change so far').waitFor();
  dev.process.kill('SIGTERM');
  await dev.exited;
  await page.getByText('not connected, trying again').waitFor();
  // It may have other rules now.
  const project = page.waitForRequest(/api\/project/);
  await restart();

  await project;

  await page.getByText('live', { exact: true }).waitFor();
  await app.put({ ...user, PK: 'USER#2', userId: '2' });
  await page.locator('.changes').getByText('USER#2').waitFor();
});

test('filters by rule and key, and stands still while it is paused', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await app.put({ PK: 'NOTE#1', SK: 'x', Type: 'User' });
  const rows = page.locator('.changes > li');
  await until(async () => (await rows.count()) >= 2, 'both changes');

  await page.getByLabel('Key').fill('server#');
  await until(async () => (await rows.count()) === 1, 'only the membership');
  await page.getByLabel('Key').fill('');
  await page.getByLabel('Rule').selectOption('order-status-keys');
  await until(async () => (await rows.count()) === 0, 'no change of an order');
  await page.getByLabel('Rule').selectOption('');
  await page.getByRole('button', { name: 'Pause' }).click();
  const paused = await rows.count();
  await app.put(membership('2'));
  await until(async () => (await app.get({ pk: 'SERVER#2', sk: 'USER#1' })) !== undefined, 'the write');
  expect(await rows.count()).toBe(paused);
  await page.locator('.changes').getByRole('link').first().click();
  await page.getByRole('link', { name: 'All changes' }).click();
  await page.getByRole('button', { name: 'Go on' }).waitFor();
  expect(await rows.count()).toBe(paused);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('.changes').getByText('SERVER#2').waitFor();
});

test('draws kinds and rules, and lights the way of a change', async () => {
  const { page, app, url, errors } = await openedPage();
  await page.goto(`${url}#/rules`);
  const arrow = page.locator('[data-rule="username-on-memberships"]');
  await arrow.waitFor();
  expect(await page.locator('.graph .kind').count()).toBeGreaterThan(5);
  await app.put(membership('1'));
  await app.put({ ...user, username: 'Grace' });

  await page.locator('[data-rule="username-on-memberships"].lit').waitFor();
  await arrow.getByText(/^[1-9]\d* written/).waitFor();
  await page.goto(`${url}#/time`);
  await page.getByText('every copy was written within').waitFor();
  expect(await page.locator('.chart canvas').count()).toBe(2);
  expect(errors).toEqual([]);
});

test('draws no line of the graph across a text or another kind', async () => {
  const { page, url } = await openedPage();
  await page.goto(`${url}#/rules`);
  await page.locator('.graph').waitFor();

  expect(await page.locator('.graph .arrow > path').count()).toBeGreaterThan(5);
  expect(await page.evaluate<string[]>(crossings)).toEqual([]);
});

test('lists dead letters, redrives them, and finds drift', async () => {
  const { page, app, url, errors } = await openedPage();
  const incident = { PK: 'acct_1#inc', SK: 'inc_1', Title: 'a', Status: 'RESOLVED', CreatedAt: 1, Number: 1 };
  await app.put({
    PK: 'acct_1#inc_1#incpart',
    SK: 'user_1',
    ParticipantID: 'user_1',
    GSI1PK: 'x',
    GSI1SK: 'y',
  });
  await app.put(incident);
  await page.goto(`${url}#/trouble`);
  await page
    .getByText(/root\.invalid/)
    .first()
    .waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'order-status-keys' }).count()).toBe(1);

  const redrive = await page.getByRole('button', { name: 'Redrive', exact: true }).first().boundingBox();
  expect(redrive?.height, 'one line').toBeLessThan(45);
  await page.getByRole('button', { name: 'Compare all copies with their roots' }).click();
  await page.getByText(/drifted\./).waitFor();
  await app.put({ ...incident, State: 'CLOSED' });
  await page
    .getByRole('button', { name: /^Redrive/ })
    .last()
    .press('Enter');
  await page.getByText(/sent to the fan-out queue again/).waitFor();
  // Until then the button is there, and has the focus.
  await page.getByText('None.', { exact: true }).waitFor();
  expect(await page.evaluate<string>('document.activeElement.textContent')).toMatch(/sent to the fan-out/);
  await page.getByRole('button', { name: 'Compare all copies with their roots' }).click();
  await page.getByText(/: no drift\./).waitFor();
  expect(errors).toEqual([]);
});

/** What a line of the graph crosses: each text, and the boxes of the kinds; a line ends on the border of its own two. */
const crossings = `[...document.querySelectorAll('.graph .arrow > path')].flatMap((path) => {
  const points = Array.from({ length: Math.ceil(path.getTotalLength() / 2) }, (_, at) => path.getPointAtLength(2 * at));
  return [...document.querySelectorAll('.graph text, .graph rect')]
    .filter((one) => {
      const { x, y, width, height } = one.getBBox();
      const isWithin = (point) => point.x > x + 1 && point.x < x + width - 1 && point.y > y && point.y < y + height;
      return points.some(isWithin);
    })
    .map((one) => path.parentNode.dataset.rule + ' crosses ' + (one.textContent || one.nextSibling.textContent));
})`;
