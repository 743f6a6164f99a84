/**
 * `node bin/node-24.mjs scripts/pictures/screenshots.ts [port]`: takes the screenshots of docs/images, of the page of `denorm dev` on
 * the rules of this repository. Needs Debian's chromium.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { table } from '../../src/table.ts';
import { ApplicationTable } from '../demo/application-table.ts';

const user = { PK: 'USER#ada', SK: '#METADATA', Type: 'User', userId: 'ada', username: 'Ada' };
const memberships = ['1', '2', '3'].map((server) => ({
  ...{ PK: `SERVER#${server}`, SK: 'USER#ada', Type: 'Membership', userId: 'ada', username: 'Ada' },
  ...{ GSI1PK: 'USER#ada', GSI1SK: `SERVER#${server}` },
}));
const said = {
  ...{ ID: 'inc_7', Title: 'Checkout is down', Status: 'ACTIVE', State: 'OPEN', Number: 7 },
  ...{ CreatedAt: 1_767_225_600, UpdatedAt: 1_767_225_600 },
};
const incident = { PK: 'acct_acme#inc', SK: 'inc_7', ...said };
const participations = ['ada', 'grace', 'edsger'].map((participant) => ({
  ...{ PK: 'acct_acme#inc_7#incpart', SK: participant, ParticipantID: participant, ...said },
  ...{ GSI1PK: `acct_acme#${participant}#incpart`, GSI1SK: 'OPEN#2026-01-01T00:00:00Z' },
}));

const repository = fileURLToPath(new URL('../..', import.meta.url));
const port = process.argv[2] ?? '8000';
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const dev = spawn(
  process.execPath,
  ['bin/denorm.mjs', 'dev', '--port', port, '--db-path', join(folder, 'data.db'), '--no-check'],
  { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] },
);
const ended = once(dev, 'exit');
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 400 } });
  await takeAll(page, await pageUrl());
} finally {
  await browser.close();
  dev.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true });
}

async function pageUrl(): Promise<string> {
  for await (const line of createInterface({ input: dev.stdout })) {
    const [, url] = /^page (http\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('Expected denorm dev to print the address of its page, but it ended');
}

async function takeAll(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Write these two' }).waitFor();
  await take(page, 'first-minute');

  const app = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  for (const item of [user, ...memberships, incident, ...participations]) await app.put(item);
  await row(page, 'Incident put').waitFor();
  await app.update({ pk: user.PK, sk: user.SK }, { username: 'Ada Lovelace' });
  await row(page, '3 × Membership').waitFor();
  await app.update(
    { pk: incident.PK, sk: incident.SK },
    { Title: 'Checkout was down', Status: 'RESOLVED', State: 'CLOSED' },
  );
  app.close();
  const closed = row(page, 'RESOLVED').filter({ hasText: '3 × Participation' });
  await closed.waitFor();
  await take(page, 'changes');

  await closed.click();
  await page.getByRole('table', { name: 'Incident and Participation, attribute by attribute' }).waitFor();
  await take(page, 'incident-closes');

  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.getByText('archive-profiles').first().waitFor();
  await take(page, 'rules');
}

function row(page: Page, hasText: string) {
  return page.locator('.changes a').filter({ hasText });
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(repository, `docs/images/${name}-1280.png`), fullPage: true });
}
