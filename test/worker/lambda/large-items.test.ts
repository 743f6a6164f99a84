import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serviceOf } from '../../../src/model/work/settings.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { type LargeItems, largeItemsServer } from './large-items-server.ts';
import { environmentOn } from './stub-services.ts';

const program = fileURLToPath(new URL('./run-handler.ts', import.meta.url));
const notesPeak = 'process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
/** The share of a function's memory that Lambda's runtime gives to the heap. */
const heapShare = 0.9;
/** The largest item, almost: the server adds a few attributes. */
const size = 399 * 1024;

/** The memory of a function in the stack, in megabytes. */
function memoryOf(name: string): number {
  return Number(stack.Resources[name]?.Properties['MemorySize']);
}

/** Invokes a function in a process with its memory. @returns its exit code, and the most memory that it took, in megabytes */
async function invoke(name: string, memory: number, event: unknown, items: LargeItems) {
  const server = await largeItemsServer(items);
  try {
    const limits = [
      `--max-old-space-size=${Math.floor(memory * heapShare)}`,
      `--import=data:text/javascript,${encodeURIComponent(notesPeak)}`,
    ];
    // The time: ten seconds are for the answer, and Sweep keeps thirty to end in.
    const child = spawn(process.execPath, [...limits, program, name, name === 'sweep' ? '150000' : '22000'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...{ PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] },
        ...environmentOn(server.endpoint),
        ...{ SWEEP_READ_UNITS: '40000', DISABLED_RULES: 'archive-incidents' },
        ...{ POWERTOOLS_METRICS_NAMESPACE: 'denorm', POWERTOOLS_SERVICE_NAME: name },
      },
    });
    child.stdin.end(JSON.stringify(event));
    const [answer, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const [, peak = ''] = /^peak (\d+)$/m.exec(errors) ?? [];
    return {
      code,
      answer: JSON.parse(answer.trim().split('\n').at(-1) || 'null'),
      peak: Number(peak) / 1024,
      written: server.written(),
    };
  } finally {
    await server.close();
  }
}

/** Ten messages of a rule, each for a root of its own. */
function messages(rule: string, kind: string, sk: string) {
  const Records = Array.from({ length: 10 }, (_, index) => ({
    ...{ messageId: String(index), eventSource: 'aws:sqs', receiptHandle: '', messageAttributes: {} },
    ...{ attributes: { ApproximateReceiveCount: '1' } },
    body: JSON.stringify({ rule, root: { pk: `${kind}#${index}`, sk }, cause: 'changed', attempts: 0 }),
  }));
  return { Records };
}

/** Fifty roots, of which one attribute has changed. */
function changes(kind: string, sk: string, attribute: string, others: object) {
  const Records = Array.from({ length: 50 }, (_, index) => {
    const Keys = { PK: { S: `${kind}#${index}` }, SK: { S: sk } };
    const imageWith = (S: string) => ({ ...Keys, ...others, [attribute]: { S } });
    return {
      ...{ eventID: String(index), eventName: 'MODIFY', eventSource: 'aws:dynamodb' },
      dynamodb: {
        ...{ ApproximateCreationDateTime: 1_700_000_000, SequenceNumber: String(index + 1) },
        ...{ StreamViewType: 'NEW_AND_OLD_IMAGES', Keys },
        ...{ OldImage: imageWith('2019-01-01'), NewImage: imageWith('2020-01-01') },
      },
    };
  });
  return { Records };
}

const users = ['USER', '#METADATA'] as const;
const orders = ['ORDER', 'METADATA'] as const;
const user = { Type: { S: 'User' }, userId: { S: '1' }, email: { S: 'a@example.com' } };
const order = { Type: { S: 'Order' }, UserId: { S: '1' }, Status: { S: 'PAID' }, Total: { N: '1' } };
const done = { batchItemFailures: [] };
// Two status keys find each order.
const swept = [{ finished: true, kinds: { Order: { swept: 18 }, OrderItem: { swept: 720 } } }];

test.each([
  ['FanOut', 500, 'an index', messages('username-on-memberships', ...users), done],
  ['FanOut', 500, 'a partition', messages('order-date-on-items', ...orders), done],
  ['Propagate', 100, 'an index', changes(...users, 'username', user), done],
  ['Propagate', 100, 'a partition', changes(...orders, 'CreatedAt', order), done],
  ['Sweep', 40, 'a partition', {}, swept],
] as const)(
  '%s takes as many roots as it can, each with %i items of 400 KB in %s',
  async (name, copies, _, event, expected) => {
    const memory = memoryOf(name);

    const { code, answer, peak, written } = await invoke(serviceOf(name), memory, event, {
      size,
      copies,
      orders: 9,
    });

    expect({ code, answer }).toMatchObject({ code: 0, answer: expected });
    expect(peak).toBeLessThan(memory);
    expect(written).toBeGreaterThan(0);
  },
  180_000,
);
