import { describe, expect, test } from 'vitest';
import { membership, openedPage, user } from './opened-page.ts';

const views = ['changes', 'rules', 'time', 'item?pk=USER%231&sk=%23METADATA', 'trouble', 'change?id=1'];

test('fits a width of 400 pixels: only the graph scrolls by itself', async () => {
  const { page, app, url, errors } = await openedPage({ viewport: { width: 400, height: 800 } });
  await app.put(membership('1'));
  await app.put(user);
  await page.getByText('arrived within').or(page.getByText('checked')).first().waitFor();

  for (const view of views) {
    await page.goto(`${url}#/${view}`);
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(
      400,
    );
    expect(await page.evaluate<number>(wideTables), view).toBe(0);
    expect(await page.evaluate<string[]>(cutLabels), view).toEqual([]);
    expect(await page.evaluate<number>('scrollY'), view).toBe(0);
  }
  expect(errors).toEqual([]);
});

test('shows root and copy side by side at 1280 pixels, however long their keys are', async () => {
  const { page, app } = await openedPage();
  const long = 'x'.repeat(60);
  await app.put({ ...user, PK: `USER#${long}`, userId: long });
  await app.put({
    ...{ ...membership('1'), SK: `USER#${long}`, userId: long },
    ...{ GSI1PK: `USER#${long}`, username: 'Bea' },
  });
  const row = page.locator('.changes > li').filter({ hasText: 'arrived within' }).first();
  await row.getByRole('link').click();
  await page.getByRole('columnheader', { name: /^(copy|Membership) after$/ }).waitFor();

  expect(await page.evaluate<number>(wideTables)).toBe(0);
});

test('keeps its tabs in their places, whichever view is open', async () => {
  const { page, app, url } = await openedPage();
  for (let at = 0; at < 30; at += 1) await app.put(membership(String(at)));
  await page.getByText('30 changes so far').waitFor();
  const places = new Set<string>();
  for (const view of views) {
    await page.goto(`${url}#/${view}`);
    await page.getByRole('heading', { level: 2 }).waitFor();
    places.add(await page.evaluate<string>(placesOfTabs));
  }

  expect([...places]).toHaveLength(1);
});

test('is used by keyboard alone', async () => {
  const { page, app } = await openedPage();
  await app.put(user);
  await page.getByText('USER#1').first().waitFor();
  const focused = () => page.evaluate<string>('document.activeElement.textContent');

  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  for (const title of ['Changes', 'Rules', 'Time', 'An item', 'Trouble']) {
    await page.keyboard.press('Tab');
    expect(await focused()).toBe(title);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Trouble' }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Compare all copies with their roots');
});

test('skips to the content of the view that is open', async () => {
  const { page, url } = await openedPage();
  await page.goto(`${url}#/trouble`);
  await page.getByRole('heading', { name: 'Trouble' }).waitFor();
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await page.keyboard.press('Tab');

  expect(await page.evaluate<string>('document.activeElement.textContent')).toMatch(/^Compare/);
});

test('keeps the focus where it is when a view is drawn anew', async () => {
  const { page, app, url } = await openedPage();
  for (const server of ['1', '2', '3']) await app.put(membership(server));
  await app.put({ ...user, username: 'Grace' });
  const row = page.locator('.changes > li:has(strong:text-is("User"))');
  await row.getByText('3 copies arrived').waitFor();
  await row.getByRole('link').press('Enter');
  const copy = page.getByLabel('Copy (3)');
  await copy.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await copy.inputValue()).toBe(await copy.locator('option').nth(2).textContent());

  await page.goto(`${url}#/item?pk=USER%231&sk=%23METADATA`);
  await page.getByLabel('Attribute', { exact: true }).fill('username');
  await page.getByLabel('Value', { exact: true }).fill('Joan');
  await page.getByRole('button', { name: 'Set' }).press('Enter');
  await page.getByText('username is set.').waitFor();
  await page.getByText(/changed: username-on-memberships 3 (written|unchanged)/).waitFor();
  await page.getByText('0 to write, 3 right already').waitFor();
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Set');
});

describe.each(['light', 'dark'] as const)('in a %s room', (colorScheme) => {
  test('text has a contrast of 4.5 to 1', async () => {
    const { page } = await openedPage({ colorScheme });
    const colours: Record<string, string> = {};
    for (const name of ['--back', '--text', '--quiet', '--accent', '--lit', '--good', '--bad', '--mark'])
      colours[name] = await page.evaluate<string>(
        `getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`,
      );
    const { '--back': back = '', '--mark': mark = '', ...texts } = colours;

    for (const [name, colour] of Object.entries(texts))
      expect(contrast(colour, back), name).toBeGreaterThanOrEqual(4.5);
    expect(await page.evaluate<boolean>(placeholderIsQuiet)).toBe(true);
    expect(contrast(texts['--text'] ?? '', mark)).toBeGreaterThanOrEqual(4.5);
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(21, 23, 26)',
    );
  });
});

const placesOfTabs =
  "JSON.stringify([...document.querySelectorAll('#views a')].map((one) => one.getBoundingClientRect()))";

/** The tables that are wider than their place. */
const wideTables =
  "[...document.querySelectorAll('.scroll:has(table)')].filter((one) => one.scrollWidth > one.clientWidth).length";

/** Labels before the cells of a narrow table that reach into the next cell. */
const cutLabels = `[...document.querySelectorAll('tbody td')]
  .filter((cell) => cell.offsetHeight < parseFloat(getComputedStyle(cell, '::before').height))
  .map((cell) => cell.dataset.column)`;

const placeholderIsQuiet =
  "getComputedStyle(document.querySelector('#key'), '::placeholder').color === getComputedStyle(document.querySelector('.quiet')).color";

/** Source: WCAG 2.2, "contrast ratio" and "relative luminance". */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
