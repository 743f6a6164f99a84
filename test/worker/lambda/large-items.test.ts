import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stack } from '../../fixtures/application/stack.ts';
import { type LargeItems, largeItemsServer } from './large-items-server.ts';

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
async function invoke(name: 'fan-out' | 'propagate', memory: number, event: unknown, items: LargeItems) {
  const server = await largeItemsServer(items);
  try {
    const queue = `${server.endpoint}/000000000000/queue`;
    const limits = [
      `--max-old-space-size=${Math.floor(memory * heapShare)}`,
      `--import=data:text/javascript,${encodeURIComponent(notesPeak)}`,
    ];
    // The time: ten seconds are for the answer.
    const child = spawn(process.execPath, [...limits, program, name, '16000'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...{ PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] },
        ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
        ...{ TABLE_NAME: 'app', FAN_OUT_QUEUE_URL: queue, DEAD_LETTER_QUEUE_URL: queue },
        ...{ AWS_ENDPOINT_URL_DYNAMODB: server.endpoint, AWS_ENDPOINT_URL_SQS: server.endpoint },
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
      answer: answer.trim().split('\n').at(-1),
      peak: Number(peak) / 1024,
    };
  } finally {
    await server.close();
  }
}

test('FanOut takes ten fan-outs to 500 copies of 400 KB each', async () => {
  const messages = Array.from({ length: 10 }, (_, index) => ({
    ...{ rule: 'username-on-memberships', root: { pk: `USER#${index}`, sk: '#METADATA' } },
    ...{ cause: 'changed', attempts: 0 },
  }));
  const Records = messages.map((message, index) => ({
    ...{ messageId: String(index), eventSource: 'aws:sqs', body: JSON.stringify(message) },
    ...{ receiptHandle: '', messageAttributes: {}, attributes: { ApproximateReceiveCount: '1' } },
  }));
  const memory = memoryOf('FanOut');

  const { code, answer, peak } = await invoke('fan-out', memory, { Records }, { size, copies: 500 });

  expect({ code, answer }).toEqual({ code: 0, answer: '{"batchItemFailures":[]}' });
  expect(peak).toBeLessThan(memory);
});

test('Propagate takes a batch of fifty roots with 100 copies of 400 KB each', async () => {
  const Records = Array.from({ length: 50 }, (_, index) => {
    const Keys = { PK: { S: `USER#${index}` }, SK: { S: '#METADATA' } };
    const user = {
      ...Keys,
      Type: { S: 'User' },
      userId: { S: String(index) },
      email: { S: 'a@example.com' },
    };
    return {
      ...{ eventID: String(index), eventName: 'MODIFY', eventSource: 'aws:dynamodb' },
      dynamodb: {
        ...{ ApproximateCreationDateTime: 1_700_000_000, SequenceNumber: String(index + 1) },
        ...{ StreamViewType: 'NEW_AND_OLD_IMAGES', Keys },
        ...{ OldImage: { ...user, username: { S: 'ada' } }, NewImage: { ...user, username: { S: 'eve' } } },
      },
    };
  });
  const memory = memoryOf('Propagate');

  const { code, answer, peak } = await invoke('propagate', memory, { Records }, { size, copies: 100 });

  expect({ code, answer }).toEqual({ code: 0, answer: '{"batchItemFailures":[]}' });
  expect(peak).toBeLessThan(memory);
});
