import { expect, test } from 'vitest';
import { howToInvoke } from '../../../src/cli/dev/command.ts';

const containers = { bridge: undefined, servicesEndpoint: 'http://127.0.0.1:4566' };
const say = (event: string | undefined, name: 'Propagate' | 'FanOut' = 'Propagate') =>
  howToInvoke(containers, '.denorm', name, event === undefined ? [] : [event]);

test('the command invokes the function of the seeded event', () => {
  expect(say('events/recheck.json', 'FanOut')).toMatch(
    /^ {2}\S*sam local invoke FanOut --event events\/recheck\.json --env-vars \.denorm\/sam-env\.json /m,
  );
});

test('without an event, the table has no items, and --seed puts them', () => {
  expect(say(undefined)).toContain('the table has no items of event.json: --seed puts them');
  expect(say('events/recheck.json')).not.toContain('--seed');
});

test('the image is named, and what to do offline', () => {
  expect(say(undefined)).toMatch(/public\.ecr\.aws\/lambda\/nodejs:24-\S+ \(some hundred MB\).*offline/);
});
