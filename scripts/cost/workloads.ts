import type { Item } from '../../src/model/item.ts';
import { itemSize } from '../../src/model/item-size.ts';
import { GSI1 } from '../../src/table.ts';

/** Roots with copies of 1 KB, each on one index of which the change leaves the key alone. */
export interface Workload {
  /** The root, then its copies. */
  readonly before: readonly Item[];
  readonly after: Item;
}

const copyBytes = 1024;

/** An incident whose title changes, on participations found by their partition. */
export function incident(id: string, copies: number): Workload {
  const said = {
    ...{ ID: { S: `inc_${id}` }, Title: { S: 'Application error rate' }, Status: { S: 'TRIGGERED' } },
    ...{
      State: { S: 'OPEN' },
      Number: { N: '859' },
      CreatedAt: { N: '1614194921' },
      UpdatedAt: { N: '1614194921' },
    },
  };
  const participation = (index: number, note: string) => ({
    ...{
      PK: { S: `acct_${id}#inc_${id}#incpart` },
      SK: { S: participant(index) },
      ...said,
      Note: { S: note },
    },
    ...{
      ParticipantID: { S: participant(index) },
      [GSI1.pk]: { S: `acct_${id}#${participant(index)}#incpart` },
    },
    [GSI1.sk]: { S: 'OPEN#2021-02-24T19:28:41Z' },
  });
  const note = padding(participation(0, ''));
  const root = { PK: { S: `acct_${id}#inc` }, SK: { S: `inc_${id}` }, ...said, Note: { S: note } };
  const before = [root, ...Array.from({ length: copies }, (_, index) => participation(index, note))];
  return { before, after: { ...root, Title: { S: 'Application error rose' } } };
}

/** A user who is renamed, on memberships found by an index. */
export function user(id: string, copies: number): Workload {
  const root = {
    ...{ PK: { S: `USER#${id}` }, SK: { S: '#METADATA' }, Type: { S: 'User' }, userId: { S: id } },
    ...{ username: { S: 'before' }, email: { S: 'user@example.com' } },
  };
  const membership = (index: number, note: string) => ({
    ...{ PK: { S: `SERVER#${participant(index)}` }, SK: { S: `USER#${id}` }, Type: { S: 'Membership' } },
    ...{
      serverId: { S: participant(index) },
      userId: { S: id },
      role: { S: 'member' },
      username: { S: 'before' },
    },
    ...{
      [GSI1.pk]: { S: `USER#${id}` },
      [GSI1.sk]: { S: `SERVER#${participant(index)}` },
      Note: { S: note },
    },
  });
  const note = padding(membership(0, ''));
  const before = [root, ...Array.from({ length: copies }, (_, index) => membership(index, note))];
  return { before, after: { ...root, username: { S: 'after.' } } };
}

function participant(index: number): string {
  return `user_${String(index).padStart(5, '0')}`;
}

function padding(copy: Item): string {
  return 'x'.repeat(copyBytes - itemSize(copy));
}

/** Makes the workload of one root. */
export type MakeWorkload = (id: string, copies: number) => Workload;
