import { request } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import type { News } from '../../../src/page/protocol/changes.ts';
import type { Edit } from '../../../src/page/protocol/views.ts';
import { Journal } from '../../../src/page/server/journal.ts';
import { type PageServer, startPageServer } from '../../../src/page/server/page-server.ts';
import { acceptedBody, editSchema } from '../../../src/page/server/page-source.ts';
import { openedAddress } from '../opened-address.ts';

const project = {
  ...{
    table: 'app',
    where: 'at here',
    keyNames: { pk: 'PK', sk: 'SK' },
    ttl: 'TTL',
    indexes: [],
    kinds: [],
    rules: [],
  },
};

let journal: Journal;
let edits: Edit[];
let server: PageServer;

beforeEach(async () => {
  edits = [];
  journal = new Journal({ registry: config.registry(), match: () => [], count: async () => undefined });
  server = await started(await freePort());
});

afterEach(() => server.close());

async function started(port: number): Promise<PageServer> {
  const opened = await startPageServer(
    {
      ...{ project, journal },
      routes: {
        'GET /api/item': () => Promise.reject(new Error('item content')),
        'POST /api/item': ({ body }) => {
          edits.push(acceptedBody(editSchema, body));
          return undefined;
        },
      },
    },
    port,
  );
  if (opened === undefined) throw new Error('Expected a free port, found none');
  return opened;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** fetch cannot send another Host. */
function asked(path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const options = { method, headers: { ...openedAddress(server.url).headers, ...headers } };
      const sent = request(new URL(path, server.url), options, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: text }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

const own = () => ({ origin: new URL(server.url).origin, 'content-type': 'application/json' });
const edit = JSON.stringify({ key: { pk: 'a', sk: 'b' }, attribute: 'c', value: { S: 'd' } });

describe('a request from elsewhere is refused', () => {
  test.each(['/', '/page.js', '/api/project', '/api/news', '/api/item?pk=a&sk=b'])(
    'for %s by another host, as after DNS rebinding',
    async (path) => {
      const port = new URL(server.url).port;
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1',
        `127.0.0.1.evil.example:${port}`,
      ])
        expect(await asked(path, { headers: { host } }), host).toMatchObject({ status: 403 });
    },
  );

  test.each(['/api/project', '/api/news'])('for %s from another origin or site', async (path) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect(await asked(path, { headers }), JSON.stringify(headers)).toMatchObject({ status: 403 });
  });

  test('if it would change something without the page’s own origin and a body of JSON', async () => {
    const json = { 'content-type': 'application/json' };
    for (const headers of [
      json,
      { ...json, origin: 'https://evil.example' },
      { ...own(), 'content-type': 'text/plain' },
    ])
      expect(await asked('/api/item', { method: 'POST', headers, body: edit })).toMatchObject({
        status: 403,
      });
    expect(edits).toEqual([]);
    expect(await asked('/api/item', { method: 'POST', headers: own(), body: edit })).toMatchObject({
      status: 200,
    });
    expect(edits).toHaveLength(1);
  });
});

test.each(['/', '/page.js', '/api/project', '/api/news', '/api/item?pk=a&sk=b'])(
  'without the token, as another user of this machine asks, %s is refused',
  async (path) => {
    const { port, searchParams } = new URL(server.url);
    const token = searchParams.get('token');
    for (const cookie of ['', `denorm-${port}=`, `denorm-${port}=x${token}`, `denorm-1=${token}`])
      expect(await asked(path, { headers: { cookie } }), cookie).toMatchObject({
        status: 403,
        body: expect.stringContaining('open the address that denorm prints'),
      });
    expect(await asked('/?token=x', { headers: { cookie: '' } })).toMatchObject({ status: 403 });
  },
);

test('the address with the token gives the browser a cookie, and leads to one without it', async () => {
  const { pathname, search, searchParams, port } = new URL(server.url);

  const { status, headers } = await asked(`${pathname}${search}`, { headers: { cookie: '' } });

  const cookie = `denorm-${port}=${searchParams.get('token')}`;
  expect({ status, location: headers['location'] }).toEqual({ status: 303, location: '/' });
  expect(headers['set-cookie']).toEqual([`${cookie}; HttpOnly; SameSite=Strict; Path=/`]);
  expect(await asked('/', { headers: { cookie: `other=1; ${cookie}` } })).toMatchObject({ status: 200 });
});

test('every answer forbids scripts and styles that are not files of the page', async () => {
  for (const path of ['/', '/api/project', '/nowhere']) {
    const { headers } = await asked(path);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('an unexpected error is named without its message, which may hold content', async () => {
  expect(await asked('/api/item?pk=a&sk=b')).toMatchObject({
    status: 500,
    body: '{"code":"page.failed","message":"unexpected Error"}',
  });
});

test.each([
  ['no JSON', '{'],
  ['another shape', '{"key":{"pk":"a"},"attribute":"c"}'],
  ['too much', JSON.stringify({ value: 'x'.repeat(1_000_001) })],
])('a body with %s is refused', async (_, body) => {
  const { status } = await asked('/api/item', { method: 'POST', headers: own(), body });

  expect(status).toBe(400);
  expect(edits).toEqual([]);
});

test('the page is told what it can ask for, and anything else is not found', async () => {
  const { body } = await asked('/api/project');
  expect(JSON.parse(body).answers.sort()).toEqual([
    ...['GET /api/change', 'GET /api/item', 'GET /api/news', 'POST /api/item'],
  ]);
  expect(await asked('/api/verify', { method: 'POST', headers: own(), body: '{}' })).toMatchObject({
    status: 404,
  });
  expect(await asked('/api/change?id=1')).toMatchObject({ status: 404 });
});

test('takes the next port if its own is taken', async () => {
  const port = Number(new URL(server.url).port);
  const other = await started(port);
  await other.close();

  expect(Number(new URL(other.url).port)).toBeGreaterThan(port);
});

test.each(['//', 'http://['])('a path that is none, %s, is not found', async (path) => {
  const { hostname, port } = new URL(server.url);
  const { headers } = openedAddress(server.url);
  const status = await new Promise((resolve, reject) =>
    request({ ...{ hostname, port, headers }, path }, (response) => resolve(response.statusCode))
      .on('error', reject)
      .end(),
  );

  expect(status).toBe(404);
});

test('is not served where all twenty-one ports are taken', async () => {
  const first = 65_535;
  const blocker = createServer();
  await new Promise<void>((resolve, reject) => {
    blocker.once('error', reject);
    blocker.listen(first, '127.0.0.1', resolve);
  });
  try {
    expect(await startPageServer({ project, routes: {} }, first)).toBeUndefined();
  } finally {
    await new Promise((resolve) => blocker.close(resolve));
  }
});

async function newsAfter(version = ''): Promise<News> {
  return JSON.parse((await asked(`/api/news?after=${version}`)).body);
}

function put(sequence: bigint): void {
  const after = { PK: { S: `p${sequence}` }, SK: { S: 's' }, name: { S: 'a secret' } };
  const key = { pk: `p${sequence}`, sk: 's' };
  journal.seen([{ key, before: undefined, after, sequence, expired: false, at: undefined }]);
}

describe('the news', () => {
  test('begins with everything that is kept, without the content of what is put', async () => {
    put(1n);
    const news = await newsAfter();

    expect(news).toMatchObject({ reset: true, total: 1, changes: [{ id: 1 }] });
    expect(JSON.stringify(news)).not.toContain('a secret');
  });

  test('goes on where a page has heard the last of it', async () => {
    put(1n);
    const { version } = await newsAfter();
    expect(await newsAfter(version)).toMatchObject({ version, reset: false, changes: [] });
    put(2n);

    expect(await newsAfter(version)).toMatchObject({ reset: false, total: 2, changes: [{ id: 2 }] });
  });

  test('begins anew for a page that has heard another start of the server', async () => {
    put(1n);

    const [start] = (await newsAfter()).version.split('.');
    for (const version of ['another.7', start, `${start}.x`])
      expect(await newsAfter(version)).toMatchObject({ reset: true, changes: [{ id: 1 }] });
  });
});
