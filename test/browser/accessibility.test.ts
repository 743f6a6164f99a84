import { describe, expect, test } from 'vitest';
import { until } from '../cli/denorm.ts';
import { dealtWith, membership, openedPage, user } from './opened-page.ts';

const views = ['changes', 'rules', 'items?pk=USER%231&sk=%23METADATA', 'trouble', 'change?id=1'];

/** From the text of the label of the focused field down to that. */
const belowLabel = `(() => {
  const range = document.createRange();
  range.selectNode(document.activeElement.closest('label').firstChild);
  return document.activeElement.getBoundingClientRect().top - range.getBoundingClientRect().bottom;
})()`;

test('fits a width of 400 pixels', async () => {
  const { page, app, url, errors } = await openedPage({ viewport: { width: 400, height: 800 } });
  await app.put(membership('1'));
  const deep = { a: { b: { c: { d: ['a value', 'that is longer than a line of the page is wide'] } } } };
  await app.put({ ...user, deep: { deep: { deep } } });
  await page.getByText('equal').or(page.getByText('× Membership')).first().waitFor();

  for (const view of views) {
    await page.goto(`${url}#/${view}`);
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(
      400,
    );
    expect(await page.evaluate<string[]>(overlaps), view).toEqual([]);
    expect(await page.evaluate<number>('scrollY'), view).toBe(0);
  }
  await page.goto(`${url}#/items?pk=USER%231&sk=%23METADATA`);
  await page.getByRole('button', { name: 'Edit username' }).click();
  await page.getByRole('textbox', { name: 'Value' }).waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  // The outline of the field, of 3 pixels 2 away from it, hides nothing of its label.
  expect(await page.evaluate<number>(belowLabel)).toBeGreaterThanOrEqual(5);
  expect(await page.evaluate<number>('document.activeElement.offsetHeight')).toBeLessThan(30);
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
  await page.locator('.changes a').filter({ hasText: '1 × Membership' }).first().click();
  await page
    .getByRole('columnheader', { name: /^(copy|Membership) after$/ })
    .first()
    .waitFor();

  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
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
  for (const title of ['Changes', 'Rules', 'Items', 'Trouble']) {
    await page.keyboard.press('Tab');
    expect(await focused()).toBe(title);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Trouble' }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Read them again');
});

test('skips to the content of the view that is open', async () => {
  const { page, url } = await openedPage();
  await page.goto(`${url}#/trouble`);
  await page.getByRole('heading', { name: 'Trouble' }).waitFor();
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await page.keyboard.press('Tab');

  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Read them again');
});

test('keeps the focus where it is when a view is drawn anew', async () => {
  const { page, app, url } = await openedPage();
  for (const server of ['1', '2', '3']) await app.put(membership(server));
  await app.put(user);
  await dealtWith(page, 4);
  await app.put({ ...user, username: 'Grace' });
  const row = page.locator('.changes a').filter({ hasText: '3 × Membership' });
  await row.press('Enter');
  const others = page.getByRole('button', { name: 'Show', exact: true });
  await others.last().press('Enter');
  expect(await page.getByRole('button', { name: 'Shown' }).count()).toBe(1);
  expect(await others.count()).toBe(2);

  await page.goto(`${url}#/items?pk=USER%231&sk=%23METADATA`);
  await page.getByRole('button', { name: 'Edit username' }).press('Enter');
  const focused = () => page.evaluate<string>('document.activeElement.name');
  await until(async () => (await focused()) === 'value', 'the editor has the focus');
  await app.put(membership('4'));
  await page
    .getByText('6 changes so far')
    .or(page.getByRole('textbox', { name: 'Value' }))
    .waitFor();
  expect(await focused()).toBe('value');
});

describe.each(['light', 'dark'] as const)('in a %s room', (colorScheme) => {
  test('text has a contrast of 4.5 to 1', async () => {
    const { page, url } = await openedPage({ colorScheme });
    await page.goto(`${url}#/items`);
    const colours: Record<string, string> = {};
    for (const name of [
      '--back',
      '--panel',
      '--text',
      '--quiet',
      '--accent',
      '--lit',
      '--good',
      '--bad',
      '--mark',
    ])
      colours[name] = await page.evaluate<string>(colourOf(name));
    const { '--back': back = '', '--panel': panel = '', '--mark': mark = '', ...texts } = colours;

    for (const [name, colour] of Object.entries(texts))
      for (const behind of [back, panel]) expect(contrast(colour, behind), name).toBeGreaterThanOrEqual(4.5);
    expect(await page.evaluate<boolean>(placeholderIsQuiet)).toBe(true);
    for (const name of ['--text', '--quiet', '--bad'])
      expect(contrast(texts[name] ?? '', mark), name).toBeGreaterThanOrEqual(4.5);
    expect(await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(21, 23, 26)',
    );
  });
});

const placesOfTabs =
  "JSON.stringify([...document.querySelectorAll('nav a')].map((one) => one.getBoundingClientRect()))";

/** Cells of a table whose label reaches into the next cell, and texts that reach out of their cell. */
const overlaps = `[...document.querySelectorAll('tbody td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight)
  .map((cell) => cell.dataset.column)`;

/** A colour as the browser uses it, in this scheme. */
const colourOf = (name: string) => `(() => {
  const one = document.body.appendChild(document.createElement('i'));
  one.style.color = 'var(${name})';
  return getComputedStyle(one).color;
})()`;

const placeholderIsQuiet =
  "getComputedStyle(document.querySelector('[placeholder]'), '::placeholder').color === getComputedStyle(document.querySelector('.quiet')).color";

/** Source: WCAG 2.2, "contrast ratio" and "relative luminance". */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((digits) => {
    const part = Number(digits) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
