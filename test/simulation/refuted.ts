/** Planted bugs that are designs which an argument refutes, and the small world whose shortest schedule shows why. */
export const refuted: readonly {
  readonly bug: string;
  readonly design: string;
  readonly world: string;
  readonly faults: number;
}[] = [
  {
    bug: 'read the root before the page',
    design: 'Reading the root before its copies',
    world: 'order-date-on-items: changes',
    faults: 1,
  },
  {
    bug: 'drop the condition',
    design: 'Writing on no condition',
    world: 'order-date-on-items: changes',
    faults: 0,
  },
  {
    bug: 'skip the check of copies that come back',
    design: 'Leaving out the check',
    world: 'order-date-on-items: a late copy',
    faults: 0,
  },
  {
    bug: 'forget the recheck',
    design: 'Querying an index once',
    world: 'username-on-memberships: a new copy',
    faults: 0,
  },
  {
    bug: 'check no entry',
    design: 'Not checking an entry after it was written',
    world: 'likes-of-post: removal',
    faults: 1,
  },
  {
    bug: 'write an entry and its head one after the other, and crash between them',
    design: 'Writing an entry and its head one after the other',
    world: 'likes-of-post: members',
    faults: 0,
  },
  {
    bug: 'take an image for the member',
    design: 'Taking the image of a record for the member',
    world: 'likes-of-post: changes',
    faults: 0,
  },
];

/** What a file shows of a design: the schedule, and what it breaks. */
export function traceText(design: string, steps: readonly string[], broken: string): string {
  return [
    `${design}:`,
    ...steps.map((step, at) => `${String(at + 1).padStart(3)}. ${step}`),
    `   => ${broken}`,
  ].join('\n');
}
