/**
 * `npm run screenshots`: plays the stories of `npm start` before the page of `denorm dev`, in Debian's chromium, and
 * writes docs/images: a view for each story, at 1280 and 400 pixels. `-- <folder>` writes into another folder, in dark too.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openChromium } from '../test/browser/chromium.ts';
import { openStage, stories } from './demo/open-stage.ts';

const other = process.argv[2];
const images = other ?? fileURLToPath(new URL('../docs/images', import.meta.url));
const schemes = other === undefined ? (['light'] as const) : (['light', 'dark'] as const);
const widths = [1280, 400];
const maxHeight = 800;
/** Of a file, in bytes. */
const maxBytes = 150_000;

/** What is shown of a story, in the order in which they are played. */
const shots: readonly {
  readonly name: string;
  readonly story: keyof typeof stories;
  readonly show: (page: Page) => Promise<void>;
}[] = [
  {
    ...{ name: 'incident-closes', story: 'incidentCloses' },
    async show(page) {
      await view(page, 'changes');
      await page
        .locator('.changes > li', { has: page.getByText('Incident', { exact: true }) })
        .first()
        .getByRole('link')
        .click();
      await page.getByRole('region', { name: /attribute by attribute$/ }).waitFor();
    },
  },
  {
    ...{ name: 'user-renames', story: 'userRenames' },
    async show(page) {
      await view(page, 'changes');
      await page.getByLabel('Key').fill('user#1');
      await page.getByLabel('Key').blur();
      await page.getByLabel('Rule').selectOption('username-on-memberships');
    },
  },
  {
    ...{ name: 'order-ships', story: 'orderShips' },
    async show(page) {
      await view(page, 'rules');
      await page.locator('.graph').waitFor();
    },
  },
  {
    ...{ name: 'votes-count', story: 'votesCount' },
    async show(page) {
      await view(page, 'item?pk=CONTENDER%23bear&sk=metadata');
      await page.getByText('is its target').waitFor();
      await page.evaluate("document.querySelector('[aria-label=Attributes]').scrollIntoView()");
    },
  },
  {
    ...{ name: 'order-expires', story: 'orderExpires' },
    async show(page) {
      await view(page, 'item?pk=ORDER%23o-2002&sk=METADATA');
      await page.getByText(', its last state').or(page.getByText(/, id /)).first().click();
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'denorm-screenshots-'));
const { stage, openPage, close } = await openStage(folder);
const browser = await openChromium();
try {
  mkdirSync(images, { recursive: true });
  const url = await openPage();
  const pages: { readonly page: Page; readonly width: number; readonly scheme: string }[] = [];
  // The pages are open while the stories are played: otherwise the server keeps no content.
  for (const colorScheme of schemes)
    for (const width of widths) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(url);
      await page.getByText('live', { exact: true }).waitFor();
      pages.push({ page, width, scheme: colorScheme });
    }
  for (const shot of shots) {
    await stories[shot.story].tell(stage);
    for (const { page, width, scheme } of pages) {
      await shot.show(page);
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      await page.setViewportSize({ width, height: Math.min(height, maxHeight) });
      const file = join(images, `${shot.name}-${width}${scheme === 'light' ? '' : `-${scheme}`}.png`);
      await page.screenshot({ path: file });
      await page.setViewportSize({ width, height: 800 });
      const bytes = statSync(file).size;
      console.log(`${file} ${bytes} bytes`);
      if (scheme === 'light' && bytes > maxBytes)
        throw new Error(`Expected at most ${maxBytes} bytes, got ${bytes}: show less`);
    }
  }
} finally {
  await browser.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
}

async function view(page: Page, path: string): Promise<void> {
  await page.goto(`${page.url().replace(/#.*/, '')}#/${path}`);
  await page.getByRole('heading', { level: 2 }).waitFor();
}
