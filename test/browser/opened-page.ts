import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { makeExport } from '../../scripts/make-export.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { counted } from '../../src/model/basics/text.ts';
import { table } from '../../src/table.ts';
import { type Denorm, start, until } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';

const executablePath = '/usr/bin/chromium';

/** Debian's chromium. Without it the test fails: a suite that skips proves nothing. */
async function browser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`Expected chromium at ${executablePath}, found none: run apt-get install chromium`);
  // Without its sandbox it runs as root too, as in a container; it opens no page but ours.
  const opened = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  onTestFinished(() => opened.close());
  return opened;
}

export interface OpenedPage {
  readonly page: Page;
  readonly url: string;
  /** The table as the application uses it, through the SDK. */
  readonly app: ApplicationTable;
  readonly dev: Denorm;
  /** The same `denorm dev` again, with the same table. */
  restart(): Promise<Denorm>;
  /** Errors in the browser's console, violations of the content security policy among them. */
  readonly errors: readonly string[];
}

/**
 * Starts `denorm dev` and opens its page.
 * @param imported begins with so many items, users and their memberships
 */
export async function openedPage(options: BrowserContextOptions = {}, imported = 0): Promise<OpenedPage> {
  const port = await freePort();
  const cwd = newFolder();
  if (imported > 0) makeExport(join(cwd, 'export'), imported);
  const dev = async (...more: string[]) => {
    const started = start(
      ['dev', '--port', String(port), '--db-path', 'data.db', '--no-check', ...more],
      cwd,
    );
    await until(() => /^page http/m.test(started.stdout()) || started.process.exitCode !== null, 'the page');
    return started;
  };
  const first = await dev(...(imported > 0 ? ['--import', 'export'] : []));
  const url = /^page (http\S+)$/m.exec(first.stdout())?.[1] ?? '';
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{24}$/);
  const app = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => app.close());
  const { page, errors } = await browserPage(url, options);
  await page.getByText('live', { exact: true }).waitFor();
  return { page, url: page.url(), app, dev: first, restart: dev, errors };
}

/** Opens a page, and notes what a page must not do. */
export async function browserPage(
  url: string,
  options: BrowserContextOptions = {},
): Promise<Pick<OpenedPage, 'page' | 'errors'>> {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL('/', url).href)) errors.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, errors };
}

/**
 * Waits on the list until there are so many changes, and the worker has done what they ask for: what it writes from now on belongs
 * to later ones.
 */
export async function dealtWith(page: Page, changes: number): Promise<void> {
  await page.getByText(`${counted(changes, 'change')} so far`).waitFor();
  const going = page.locator('.changes .lit');
  await until(async () => (await going.count()) === 0, 'nothing waits');
}

/** Nothing is hidden from the list, not even a copy that was right. */
export async function showAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Show .* right$/ }).click();
}

export const user = { PK: 'USER#1', SK: '#METADATA', Type: 'User', userId: '1', username: 'Ada' };

export function membership(server: string): Record<string, string> {
  const index = { GSI1PK: 'USER#1', GSI1SK: `SERVER#${server}` };
  return { PK: `SERVER#${server}`, SK: 'USER#1', Type: 'Membership', userId: '1', username: 'Ada', ...index };
}
