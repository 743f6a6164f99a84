import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../cli/denorm.ts';
import { dealtWith, membership, openedPage, showAll, user } from './opened-page.ts';

const userKey = { pk: user.PK, sk: user.SK };

/** The rows of the list of changes. */
const rows = (page: Page) => page.locator('.changes a');

test('shows a change with its values beside the copy that follows it', async () => {
  const { page, app, errors } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await dealtWith(page, 2);
  await app.update(userKey, { username: 'Grace' });

  const row = rows(page).filter({ hasText: 'username "Ada" → "Grace"' });
  await row.getByText('✓ 1 × Membership').waitFor();
  await row.getByText(/^[\d.]+ m?s$/).waitFor();
  expect((await row.boundingBox())?.height, 'one line').toBeLessThan(36);
  await row.click();
  const sides = page.getByRole('table', { name: 'User and Membership, attribute by attribute' });
  const username = sides.getByRole('row', { name: /^username/ });
  await username.waitFor();
  const [ada, grace] = ['"Ada"', '"Grace"'];
  expect((await username.innerText()).split(/\s+/)).toEqual(['username', ada, grace, ada, grace]);
  expect(await username.locator('mark').allInnerTexts()).toEqual([grace, grace]);
  expect(await page.getByText(/^\d+ attributes are equal$/).count()).toBe(1);
  expect(errors).toEqual([]);
});

test('shows a newcomer a copy that follows its root, by one click', async () => {
  const { page, errors } = await openedPage();
  await page.getByText('Nothing has changed in this run').waitFor();
  const node = page.locator('.flow .kind');
  expect((await node.allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
    ...['Incident', 'worker', 'Participation'],
  ]);
  expect(await page.getByLabel('Commands').innerText()).toMatch(
    /put-item.*\n.*--table-name app --item '\{"PK"/,
  );
  await page.getByRole('button', { name: 'Write these two' }).click();

  const row = rows(page).filter({ hasText: 'Title "one" → "two"' });
  await until(() => page.evaluate<boolean>("document.activeElement.id === 'main'"), 'the list has the focus');
  await row.getByText('✓ 1 × Participation').waitFor();
  await row.click();
  const copies = page.getByRole('table', { name: 'Copies, in the order of their arrival' });
  await copies.getByRole('row', { name: /^acct_100000#inc_100000#incpart .* Title/ }).waitFor();
  expect(errors).toEqual([]);
});

test('gives the focus to the list that takes the place of a button, however late it comes', async () => {
  const { page, app } = await openedPage();
  const json = { text: 'Written.', isGood: true };
  await page.route('**/api/example', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ json }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Write these two' }).press('Enter');
  await page.getByRole('status').filter({ hasText: json.text }).waitFor();
  await app.put(user);
  await until(() => page.evaluate<boolean>("document.activeElement.id === 'main'"), 'the list has the focus');
});

test('says why it writes no example, and how to write an item without one', async () => {
  const { page } = await openedPage();
  const json = { text: 'They exist already.', isGood: false };
  await page.route('**/api/example', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ json }) : route.continue(),
  );
  const write = page.getByRole('button', { name: 'Write these two' });
  await write.press('Enter');
  await page.getByRole('status').filter({ hasText: json.text }).waitFor();
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Write these two');

  // A rule may copy under another name.
  await page.route('**/api/example', async (route) => {
    const example = await (await route.fetch()).json();
    example.copyAttribute = 'IncidentTitle';
    Object.assign(example.copies[0].item, { IncidentTitle: { S: '😀'.repeat(3_000) } });
    await route.fulfill({ json: example });
  });
  await page.reload();
  const copy = page.locator('.flow .kind').last();
  await copy.getByText('IncidentTitle').waitFor();
  expect((await copy.innerText()).length).toBeLessThan(200);

  const refusal = { code: 'page.failed', message: 'unexpected failure' };
  await page.route('**/api/example', (route) => route.fulfill({ status: 500, json: refusal }));
  await page.reload();
  await page.getByRole('alert').filter({ hasText: 'page.failed: unexpected failure' }).waitFor();
  await page.getByText('Write an item with any AWS SDK at').waitFor();
});

test('hides copies that were right, and shows them on request', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await page.getByText('2 changes so far, 1 listed').waitFor();
  await showAll(page);
  await page.getByText('2 changes so far, 2 listed').waitFor();
  await page.getByRole('button', { name: 'Hide copies that were right' }).click();
  await page.getByText('2 changes so far, 1 listed').waitFor();
});

test('lists what the worker wrote as the root of other rules below its cause', async () => {
  const { page, app } = await openedPage();
  const keys = { PK: 'CONTENDER#bear', SK: 'VS#books' };
  await app.put({ PK: keys.PK, SK: 'metadata', Type: 'Contender', Name: 'bear', SVG: '<svg/>' });
  // Its own check gives it totals, which is a change as well.
  await dealtWith(page, 2);
  await app.put({
    ...{ ...keys, Type: 'HeadToHead', Contender1: 'bear', Contender2: 'books' },
    ...{ Contender1Wins: 1, Contender2Wins: 0, GSI1PK: 'CONTENDER#books', GSI1SK: 'VS#bear' },
  });
  const followed = page
    .getByRole('listitem')
    .filter({ hasText: 'HeadToHead put' })
    .getByRole('list', { name: 'What followed' })
    .getByText('changed by the worker')
    .first();
  await rows(page).filter({ hasText: 'HeadToHead put' }).getByText('1 × Contender').first().waitFor();
  await followed.click();
  await page.getByRole('link', { name: 'this change' }).click();

  await page.getByRole('heading', { name: /^HeadToHead put/ }).waitFor();
});

test('marks no map whose keys only come in another order', async () => {
  const { page, app } = await openedPage();
  const sizes = new Set(['b', 'a']);
  await app.put({ ...user, settings: { theme: 'dark', size: { x: 1, y: 2 } }, tags: sizes });
  await app.put({
    ...{ ...user, username: 'Grace', settings: { size: { y: 2, x: 1 }, theme: 'dark' } },
    tags: new Set(['a', 'b']),
  });
  await rows(page).filter({ hasText: 'changed' }).first().click();
  await page.getByRole('row', { name: 'username "Ada" "Grace"' }).waitFor();

  expect(await page.locator('mark').allInnerTexts()).toEqual(['"Grace"']);
});

test('keeps an open change after 500 later ones, and asks for it no more', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await rows(page).first().click();
  const value = page.getByRole('row', { name: 'username "Ada"' });
  await value.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (let at = 0; at < 510; at += 1) await app.put({ ...user, PK: `USER#${at + 2}`, userId: `${at + 2}` });
  await until(
    () => page.evaluate<boolean>("fetch('/api/change?id=1').then(({ status }) => status === 404)"),
    'it is forgotten',
  );
  await app.put(membership('1'));
  await page.waitForTimeout(1_000);

  expect(await page.getByText('page.not-found').count()).toBe(0);
  expect(await value.count()).toBe(1);
  expect(asked.filter((one) => /api\/change\?id=1$/.test(one)).length).toBeLessThan(5);
});

test('runs no script that keys, names or values hold', async () => {
  const { page, app, url, errors } = await openedPage();
  const script = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>\u202e';
  const planted = { ...user, PK: `USER#${script}`, username: script, [script]: script };
  await app.put({ ...membership(script), SK: planted.PK, userId: script, GSI1PK: planted.PK });
  await dealtWith(page, 1);
  await app.put({ ...planted, userId: script });

  const shown = () => page.evaluate<number>("document.querySelectorAll('main img, main script').length");
  const row = rows(page).filter({ hasText: '1 × Membership' }).filter({ hasText: 'put' });
  await row.click();
  await page.getByRole('row', { name: /^<img/ }).first().waitFor();
  expect(await shown()).toBe(0);
  expect(await page.locator('body').innerText()).not.toContain('\u202e');
  await page.goto(`${url}#/items?${new URLSearchParams({ pk: planted.PK, sk: planted.SK })}`);
  await page.getByRole('cell', { name: 'root', exact: true }).waitFor();
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
  await page.getByText('not connected: Expected an answer of denorm').waitFor();
  // It may have other rules now.
  const project = page.waitForRequest(/api\/project/);
  await restart();
  await project;

  await page.getByText('live', { exact: true }).waitFor();
  await app.put({ ...user, PK: 'USER#2', userId: '2' });
  await rows(page).getByText('USER#2').waitFor();
});

test('asks for nothing while it is hidden, and hears later what it missed', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await rows(page).getByText('USER#1').waitFor();
  const turn = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await page.evaluate('globalThis.isSame = true');
  await turn(true);
  await app.put({ ...user, PK: 'USER#2', userId: '2' });
  await page.waitForTimeout(1_000);
  expect(await rows(page).count()).toBe(1);
  const [asked] = await Promise.all([page.waitForRequest(/api\/news/), turn(false)]);
  expect(asked.url()).toMatch(/after=[\w-]+\.\d+$/);
  await rows(page).getByText('USER#2').waitFor();
  expect(await page.evaluate('globalThis.isSame')).toBe(true);

  const json = { code: 'page.stranger', message: 'Expected the token of this page' };
  await page.route('**/api/news*', (route) => route.fulfill({ status: 403, json }));
  await page.getByText('not connected: page.stranger: Expected the token').waitFor();
});

test('filters by rule and key, and stands still while it is paused', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await showAll(page);
  await until(async () => (await rows(page).count()) === 2, 'both changes');

  await page.getByRole('searchbox', { name: 'Key' }).fill('server#');
  await until(async () => (await rows(page).count()) === 1, 'only the membership');
  await page.getByRole('combobox', { name: 'Rule' }).selectOption('order-status-keys');
  await until(async () => (await rows(page).count()) === 0, 'no change of an order');
  await page.getByRole('button', { name: 'Clear' }).press('Enter');
  await until(async () => (await rows(page).count()) === 2, 'both changes');
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Clear');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Go on' }).waitFor();
  await app.put(membership('2'));
  await page.getByText('3 changes so far').waitFor();
  expect(await rows(page).count()).toBe(2);
  await rows(page).first().click();
  await page.getByRole('link', { name: 'All changes' }).click();
  await page.getByRole('button', { name: 'Go on' }).click();
  await rows(page).getByText('SERVER#2').waitFor();
});

test('numbers what failed, redrives it, and finds drift', async () => {
  const { page, app, url, errors } = await openedPage();
  const incident = { PK: 'acct_1#inc', SK: 'inc_1', Title: 'a', Status: 'RESOLVED', CreatedAt: 1, Number: 1 };
  await app.put({
    ...{ PK: 'acct_1#inc_1#incpart', SK: 'user_1', ParticipantID: 'user_1', GSI1PK: 'x', GSI1SK: 'y' },
  });
  await dealtWith(page, 1);
  await app.put(incident);
  await page.getByRole('link', { name: 'Trouble 1' }).waitFor();
  await page.goto(`${url}#/trouble`);
  await page.getByText(/root\.invalid/).waitFor();
  await page.getByText('would fail again').waitFor();

  const redrive = page.getByRole('button', { name: 'Redrive', exact: true });
  expect((await redrive.boundingBox())?.height, 'one line').toBeLessThan(45);
  await page.getByRole('button', { name: 'Compare all copies with their roots' }).click();
  await page.getByText(/ compared: \d findings?\./).waitFor();
  await app.put({ ...incident, State: 'CLOSED' });
  await page.getByRole('button', { name: 'Read them again' }).click();
  await page.getByText('would succeed').waitFor();
  await redrive.press('Enter');
  await page.getByText('1 dead letter of 1 item redriven: 1 succeeded.').waitFor();
  // Until then the button is there, and has the focus.
  await page.getByText('None.', { exact: true }).waitFor();
  await until(
    async () => /redriven/.test(await page.evaluate<string>('document.activeElement.textContent')),
    'the outcome has the focus',
  );
  await page.getByRole('link', { name: 'Trouble', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Compare all copies with their roots' }).click();
  await page.getByText(/: no drift\./).waitFor();
  expect(errors).toEqual([]);
});

test('drops a dead letter once that is confirmed', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put({
    PK: 'acct_1#inc_1#incpart',
    SK: 'user_1',
    ParticipantID: 'user_1',
    GSI1PK: 'x',
    GSI1SK: 'y',
  });
  await dealtWith(page, 1);
  await app.put({ PK: 'acct_1#inc', SK: 'inc_1', Title: 'a', Status: 'RESOLVED', CreatedAt: 1, Number: 1 });
  await page.getByRole('link', { name: 'Trouble 1' }).waitFor();
  await page.goto(`${url}#/trouble`);
  // The second click of a double click, and a key that is held, confirm nothing.
  await page.getByRole('button', { name: 'Drop' }).dblclick();
  const confirm = page.getByRole('button', { name: 'Really drop' });
  await confirm.waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Drop' }).focus();
  for (let times = 0; times < 3; times += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.waitForTimeout(300);
  await confirm.click();
  await page.getByText('1 dead letter dropped.').waitFor();
  await page.getByText('None.', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

test('says that it has no such address, and what it shows in its title', async () => {
  const { page, app, url } = await openedPage();
  await app.put(user);
  await page.goto(`${url}#/nonsense`);
  await page.getByRole('heading', { name: 'No such page' }).waitFor();
  await page.getByText('no address nonsense').waitFor();
  expect(await page.title()).toBe('No such page · denorm app');
  await page.getByRole('link', { name: 'Rules' }).click();
  await until(async () => (await page.title()) === 'Rules · denorm app', 'the title of the view');
  await page.goto(`${url}#/items?pk=USER%231&sk=%23METADATA`);
  await until(async () => (await page.title()) === 'USER#1 · Items · denorm app', 'the title of the item');
});

test('shows what an item that is gone was once, and nothing in red', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await app.delete(userKey);
  await rows(page).filter({ hasText: 'User deleted' }).click();
  await page.getByRole('heading', { name: 'What it was' }).waitFor();
  await page.getByRole('row', { name: 'username "Ada"', exact: true }).waitFor();

  expect(await page.locator('table .bad').count()).toBe(0);
});
