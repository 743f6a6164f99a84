import { bug, type PlantedBug } from './planted-bug.ts';

/** The three designs of a ledger that its argument refutes, and what is easily left out. */
export const bugsInLedgers: readonly PlantedBug[] = [
  {
    ...bug('check no entry', 'matchAggregate', '...checksOfEntry(aggregate, ordered), ', ''),
    in: 'ledgers',
  },
  bug(
    'write an entry and its head one after the other, and crash between them',
    'ModelTable',
    'if (head !== undefined) this.commit',
    'if (head !== undefined && this.sequence % 4n !== 0n) this.commit',
  ),
  bug(
    'take an image for the member',
    'EntriesOfTarget.plan',
    'const memberAt = byKey(await this.readMembers(members));',
    `const all = ((globalThis as any).images ??= new WeakMap<object, any>());
      const { registry } = this.propagation.context;
      const known = all.get(registry) ?? new Map<string, any>();
      all.set(registry, known);
      const text = members.map(keyText).join();
      const memberAt = known.get(text) ?? byKey(await this.readMembers(members));
      known.set(text, memberAt);`,
  ),
  bug(
    'write entries on no condition',
    'planPost',
    'const expect = Object.fromEntries(names.map',
    'const expect = Object.fromEntries(names.slice(0, 0).map',
  ),
  bug(
    'post members to one target of a batch',
    'matchAggregate',
    ".filter(({ cause }) => cause === 'changed')",
    ".filter(({ cause }) => cause === 'changed').slice(-1)",
  ),
  {
    ...bug(
      'bound the members of a ledger as if they had a limit',
      'summandsOf',
      'return ledger === undefined',
      'return true',
    ),
    in: 'ledgers',
  },
  {
    ...bug(
      'give up new work of a target with the oldest',
      'mergeMessages',
      'Math.max(...since)',
      'Math.min(...since)',
    ),
    in: 'ledgers',
  },
  {
    ...bug(
      'skip the own entry of a target in a repair',
      'itemsOfTarget',
      'return copies === undefined\n',
      "return copies === undefined || (propagation.message.cause === 'repair' && copies.some((copy) => copy.pk === root.pk))\n",
    ),
    in: 'ledgers',
  },
  {
    ...bug(
      'compute a target instead of its entry',
      'itemsOfTarget',
      'return copies === undefined\n',
      'return copies === undefined || copies.some((copy) => copy.pk === root.pk)\n',
    ),
    in: 'ledgers',
  },
];
