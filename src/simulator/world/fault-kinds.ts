/** How a request goes wrong: not done, done but not known to be, done only after it was given up, only in part, or refused for good. */
export const faults = ['throttled', 'timed-out', 'late', 'partial', 'denied'] as const;

export type Fault = (typeof faults)[number];

/** Every kind of fault that a run may meet. */
export const faultKinds = [
  ...faults.map((fault): `${Fault} requests` => `${fault} requests`),
  ...(['crashed invocations', 'crashed invocations after a request'] as const),
  ...(['invocations past their timeout', 'batches given to two invocations'] as const),
  ...(['messages given to two invocations', 'effects after a time-out'] as const),
  ...(['batches of older records again', 'messages that come twice'] as const),
  ...(['unreadable messages', 'unreadable records'] as const),
  ...([
    'changes late on indexes',
    'writes throttled by a partition',
    'outages',
    'records that outlive the stream',
    'streams that take over',
    'deployments of other rules',
    'paused rules',
  ] as const),
] as const;
