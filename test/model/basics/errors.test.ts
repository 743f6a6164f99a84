import { expect, test } from 'vitest';
import { stackPlaces } from '../../../src/model/basics/errors.ts';

function errorWith(message: string, stack: string): Error {
  return Object.assign(new TypeError(message), { stack });
}

const frames = `
    at Object.secret (file:///var/task/propagate.mjs:1:23)
    at async /var/task/propagate.mjs:4:56
    at new Promise (<anonymous>)
    at node:internal/process/task_queues:7:8`;

test('places are file, line and column, without functions and frames of Node', () => {
  expect(stackPlaces(errorWith('odd', `TypeError: odd${frames}`))).toEqual([
    '/var/task/propagate.mjs:1:23',
    '/var/task/propagate.mjs:4:56',
  ]);
  expect(stackPlaces(errorWith('', `TypeError${frames}`))).toHaveLength(2);
});

test.each([
  ['a message like a stack', 'odd\n    at /secret:1:2', `TypeError: odd\n    at /secret:1:2${frames}`, 2],
  ['a message that was replaced', 'new', `TypeError: odd\n    at /secret:1:2${frames}`, 0],
])('%s is no place', (_, message, stack, count) => {
  const places = stackPlaces(errorWith(message, stack));

  expect(places).toHaveLength(count);
  expect(places.join()).not.toContain('secret');
});
