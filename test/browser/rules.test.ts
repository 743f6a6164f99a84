import { expect, test } from 'vitest';
import { until } from '../cli/denorm.ts';
import { membership, openedPage, user } from './opened-page.ts';

test('has each kind once, and each rule between its kinds with its rate', async () => {
  const { page, app, url, errors } = await openedPage();
  await page.goto(`${url}#/rules`);
  const rule = page.locator('[data-rule="username-on-memberships"]');
  await rule.getByText('nothing yet').waitFor();
  expect(await page.locator('[data-kind="Contender"]').count()).toBe(1);
  await app.put(membership('1'));
  await app.put({ ...user, username: 'Grace' });

  await rule.getByText(/[1-9]\d* written/).waitFor();
  await rule.getByText(/^\d+ a minute, slowest [\d.,]+ m?s$/).waitFor();
  await page.locator('path.pulse').first().waitFor({ state: 'attached' });
  const ends = await page.evaluate<boolean[]>(endsOfLine);
  expect(ends, 'the line goes from User to the rule, and on to Membership').toEqual([true, true]);
  await rule.getByText('in words').click();
  await rule.getByText('copies').first().waitFor();
  await rule.getByRole('link', { name: 'username-on-memberships' }).click();
  await until(
    async () => (await page.getByRole('combobox', { name: 'Rule' }).inputValue()) !== '',
    'its changes alone',
  );
  expect(errors).toEqual([]);
});

test('is a list at 400 pixels, which names the kinds of each rule', async () => {
  const { page, url } = await openedPage({ viewport: { width: 400, height: 800 } });
  await page.goto(`${url}#/rules`);
  await page.locator('[data-rule="contender-totals"]').getByText('HeadToHead → Contender').waitFor();

  expect(await page.locator('.graph svg').isVisible()).toBe(false);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
});

test('keeps the focus on a rule while it writes', async () => {
  const { page, app, url, errors } = await openedPage();
  await app.put(membership('1'));
  await page.goto(`${url}#/rules`);
  const arrow = page.locator('[data-rule="username-on-memberships"]');
  await arrow.getByRole('link', { name: 'username-on-memberships' }).focus();
  await app.put({ ...user, username: 'Grace' });
  await arrow.getByText(/[1-9]\d* written/).waitFor();

  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('username-on-memberships');
  expect(errors).toEqual([]);
});

/** Whether the first line of a rule begins at its root's kind, and its last one ends at its copy's. */
const endsOfLine = `(() => {
  const graph = document.querySelector('.graph').getBoundingClientRect();
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const [from, to] = [box('[data-kind="User"]'), box('[data-kind="Membership"]')];
  const near = (text, x) => Math.abs(Number(text) - (x - graph.left)) < 2;
  return [...document.querySelectorAll('.graph path')].flatMap((path) => {
    const numbers = path.getAttribute('d').match(/-?[\\d.]+/g);
    const isOurs = near(numbers[0], from.right) && near(numbers.at(-2), to.left) &&
      Math.abs(Number(numbers[1]) - (from.top + from.height / 2 - graph.top)) < 2;
    return isOurs ? [true, Math.abs(Number(numbers.at(-1)) - (to.top + to.height / 2 - graph.top)) < 2] : [];
  }).slice(0, 2);
})()`;
