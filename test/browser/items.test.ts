import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../cli/denorm.ts';
import { dealtWith, membership, openedPage, user } from './opened-page.ts';

const userKey = { pk: user.PK, sk: user.SK };

/** The rows of a grid of items. */
const rows = (page: Page) => page.getByRole('table', { name: 'Items' }).locator('tbody tr');

test('lists the newest items of a kind with their attributes, and leads from a root to its copies and back', async () => {
  const { page, app, url, errors } = await openedPage();
  for (const server of ['1', '2']) await app.put(membership(server));
  await app.put({
    ...user,
    settings: { theme: 'dark', size: { x: 1, y: 'a text as long as a line' }, z: 1 },
  });
  await app.put({ ...user, PK: 'USER#2', userId: '2', username: 'Bea' });
  await page.goto(`${url}#/items`);
  await page
    .getByRole('navigation', { name: 'Kinds' })
    .getByRole('link', { name: 'User', exact: true })
    .click();
  await until(async () => (await rows(page).count()) === 2, 'both users');
  expect(await rows(page).getByRole('rowheader').allInnerTexts()).toEqual([
    'USER#2 / #METADATA',
    'USER#1 / #METADATA',
  ]);
  await page.getByRole('textbox', { name: 'Attribute' }).fill('username=ad');
  await page.getByRole('button', { name: 'Filter' }).click();
  await until(async () => (await rows(page).count()) === 1, 'Ada alone');
  await rows(page).getByText('"Ada"').waitFor();
  await page.getByRole('textbox', { name: 'Key begins with' }).fill('NOBODY');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('No such item in the table.', { exact: true }).waitFor();
  await page.goBack();
  await rows(page).getByText('"Ada"').waitFor();

  await rows(page).getByRole('link', { name: 'Membership' }).click();
  await page.getByRole('heading', { name: 'Partition of GSI1 USER#1' }).waitFor();
  await until(async () => (await rows(page).count()) === 2, 'both memberships, by a query of the index');
  await rows(page).getByRole('link', { name: 'USER#1 / #METADATA' }).first().click();
  await page.getByRole('heading', { name: 'Copies by username-on-memberships' }).waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'size' }).innerText()).toContain('x');
  const members = await page.locator('td > div > .tree > li').allInnerTexts();
  expect(members.map((text) => text.split(/\s/)[0])).toEqual(['size', 'theme', 'z']);
  const roles = page.getByRole('table', { name: 'Its role in each rule' });
  expect(await roles.getByRole('columnheader').allInnerTexts()).toEqual(['rule', 'the item is']);
  await page.getByRole('link', { name: 'SERVER#2 / USER#1' }).click();
  await page.getByRole('link', { name: 'All items of its partition' }).click();
  await page.getByRole('heading', { name: 'Partition SERVER#2' }).waitFor();
  await until(async () => (await rows(page).count()) === 1, 'one item');
  expect(errors).toEqual([]);
});

test('stays smooth with 10,000 items, of which the browser has a page', async () => {
  const { page, app, url, errors } = await openedPage({}, 10_000);
  await app.put({ ...user, PK: 'USER#new', userId: 'new' });
  await page.goto(`${url}#/items`);
  await rows(page).first().getByText('USER#new').waitFor();
  const times: number[] = [];
  for (let pages = 0; pages < 5; pages += 1) {
    await rows(page).nth(49).waitFor();
    expect(await rows(page).count()).toBeLessThan(200);
    expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(5_000);
    const [first] = await rows(page).getByRole('rowheader').allInnerTexts();
    const began = performance.now();
    await page.getByRole('link', { name: 'Next page' }).click();
    await until(async () => {
      const [now] = await rows(page).getByRole('rowheader').allInnerTexts();
      return now !== undefined && now !== first;
    }, 'the next page');
    times.push(performance.now() - began);
  }
  expect(Math.min(...times), `${times.map(Math.round)} ms`).toBeLessThan(1_000);
  await page.getByRole('link', { name: 'First page' }).click();
  await rows(page).first().getByText('USER#new').waitFor();
  await page.getByRole('textbox', { name: 'Key begins with' }).fill('USER#199');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText(/items of 2,\d+ read, what changed in this run first/).waitFor();
  const found = await rows(page).getByRole('rowheader').allInnerTexts();
  expect(found.filter((key) => !/(^| \/ )USER#199/.test(key))).toEqual([]);
  expect(errors).toEqual([]);
});

test('an archived item that has expired tells its life and shows its state', async () => {
  const { page, app, url, errors } = await openedPage();
  // Until then, the worker writes its index keys and archives both states.
  const soon = Math.floor(Date.now() / 1_000) + 6;
  const order = { PK: 'ORDER#1', SK: 'METADATA', Type: 'Order', UserId: '1', Status: 'DELIVERED', Total: 9 };
  await app.put({ ...order, CreatedAt: '2024-01-16', ExpiresAt: soon });
  await page.goto(`${url}#/items?pk=ORDER%231&sk=METADATA`);
  await page.getByText(/^expires \d\d:\d\d:\d\d$/).waitFor();
  const time = String.raw`\d\d:\d\d:\d\d`;
  await page
    .getByText(new RegExp(`^Order, gone: archived ${time}, expired ${time}\\.`))
    .waitFor({ timeout: 60_000 });
  await page.getByRole('row', { name: 'Status "DELIVERED"' }).first().waitFor();
  const life = page.getByRole('table', { name: 'Its life, oldest first' });
  const between = "getComputedStyle(document.querySelector('span.quiet + span.quiet'), '::before').content";
  expect(await page.evaluate(between)).toBe('"· "');
  await life.getByRole('row', { name: /expired archived before/ }).waitFor();

  const lines = (await life.locator('tbody tr').allInnerTexts()).map((line) => line.split(/\s+/)[1]);
  expect([lines[0], lines.at(-1)]).toEqual(['put', 'expired']);
  expect(lines).toContain('archived');
  expect(await page.getByText('No such item').count()).toBe(0);
  expect(errors).toEqual([]);
});

test('says who writes each attribute, and edits what a rule writes only with a word', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await dealtWith(page, 2);
  await page.goto(`${url}#/items?pk=SERVER%231&sk=USER%231`);
  const attributes = page.getByRole('table', { name: 'Attributes, and who writes them' });
  await attributes.waitFor();
  const names = await attributes.getByRole('rowheader').allInnerTexts();
  expect(names.slice(0, 2)).toEqual(['PK', 'SK']);
  const username = attributes.getByRole('row', { name: /^username/ });
  await username.getByText('copied from USER#1 / #METADATA by username-on-memberships').waitFor();
  await attributes.getByRole('row', { name: /^userId .* you$/ }).waitFor();
  await username.getByRole('button', { name: 'Edit anyway username' }).click();
  await username.getByText('username-on-memberships writes it again.').waitFor();
  await page.getByRole('textbox', { name: 'Value' }).fill('Eve');
  await page.getByRole('textbox', { name: 'Value' }).press('Enter');
  await page
    .getByRole('row', { name: /changed username by username-on-memberships because of SERVER#1 \/ USER#1/ })
    .waitFor();
  expect((await app.get({ pk: 'SERVER#1', sk: 'USER#1' }))?.['username']).toBe('Ada');
  expect(errors).toEqual([]);
});

test('edits an attribute where it stands by an UpdateItem, and shows what follows', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put(user);
  await app.put(membership('1'));
  await page.goto(`${url}#/items`);
  await page.reload();
  await page.getByRole('link', { name: 'SERVER#1 / USER#1' }).waitFor();
  await page.getByLabel('PK').fill(user.PK);
  await page.getByLabel('SK').fill(user.SK);
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('cell', { name: 'root', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Edit username' }).click();
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('"Ada"');
  await page.getByRole('textbox', { name: 'Value' }).fill('Grace');
  await page.getByRole('textbox', { name: 'Value' }).press('Enter');
  await page.getByText('username is set.').waitFor();
  await page.getByRole('row', { name: /changed username (✓ 1 × Membership|1 equal)/ }).waitFor();
  await page.getByText('0 to write, 1 right already').waitFor();
  const copy = await app.get({ pk: 'SERVER#1', sk: 'USER#1' });
  expect(copy?.['username']).toBe('Grace');

  await page.getByRole('button', { name: 'Add an attribute' }).click();
  await page.getByRole('textbox', { name: 'Attribute' }).fill('username');
  await page.getByRole('button', { name: 'Set' }).click();
  await page.getByText('The item has username already').waitFor();
  await page.getByRole('textbox', { name: 'Attribute' }).fill('age');
  await page.getByRole('textbox', { name: 'Value' }).fill('1'.repeat(39));
  await page.getByRole('button', { name: 'Set' }).click();
  await page.getByText('numbers of at most 38 digits in age').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit username' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('username is removed.').waitFor();
  expect(await app.get(userKey)).not.toHaveProperty('username');
  expect(errors.filter((one) => !one.includes('400 (Bad Request)'))).toEqual([]);
});

test('keeps a half-typed edit and its focus while the item gains an attribute', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put(user);
  await page.goto(`${url}#/items?pk=USER%231&sk=%23METADATA`);
  const value = page.getByRole('textbox', { name: 'Value' });
  const edit = page.getByRole('button', { name: 'Edit username' });
  const focused = (text: string) => async () =>
    (await page.evaluate<string>(
      'document.activeElement.ariaLabel || document.activeElement.textContent',
    )) === text;
  await edit.press('Enter');
  await value.fill('Gra');
  await app.put({ ...user, age: 7, tags: 'x' });
  await page.getByRole('row', { name: /^age/ }).waitFor();
  expect(await value.inputValue()).toBe('Gra');

  await page.getByRole('button', { name: 'Edit userId' }).press('Enter');
  await page.getByRole('button', { name: 'Edit username' }).press('Enter');
  await page.getByRole('button', { name: 'Edit userId' }).waitFor();
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('value');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await until(focused('Edit username'), 'the button has the focus again');
  await edit.press('Enter');
  await value.fill('Grace');
  await value.press('Enter');
  await page.getByText('username is set.').waitFor();
  await until(focused('Edit username'), 'the button has the focus again');
  await page.getByRole('button', { name: 'Edit tags' }).press('Enter');
  await page.getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByRole('row', { name: /^tags/ }).waitFor({ state: 'detached' });
  await until(focused('tags is removed.'), 'the outcome has the focus');
  expect(errors).toEqual([]);
});
