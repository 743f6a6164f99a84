import { type Fault, faults } from './invocation.ts';

/** Every kind of fault that a run may meet, as its summary counts them. */
export const faultKinds = [
  ...faults.map((fault): `${Fault} requests` => `${fault} requests`),
  ...([
    'crashed invocations',
    'crashed invocations after a request',
    'invocations past their timeout',
  ] as const),
  ...([
    'batches given to two invocations',
    'batches of older records again',
    'messages that come twice',
  ] as const),
  ...(['unreadable messages', 'unreadable records'] as const),
  ...(['changes late on indexes', 'writes throttled by a partition', 'outages'] as const),
] as const;

export type FaultKind = (typeof faultKinds)[number];
