import type { Picture } from './picture.ts';

/** README.md: from a change to its copies. */
const flow: Picture = {
  title:
    'Your application writes the table. Its stream invokes Propagate: a changed root is propagated, a written copy is checked and propagated if it differs. A propagation writes the copies on conditions. What is more than a page goes through the fan-out queue to FanOut, and what cannot be done to the dead-letter queue. Archive, the second reader of the stream, puts items into S3.',
  columns: [
    [140, 80],
    [190, 96],
    [150, 80],
    [146, 0],
  ],
  boxes: {
    application: { column: 0, row: 0, is: 'end', text: ['your application'] },
    table: { column: 1, row: 0, is: 'store', text: ['the table', 'roots and copies'] },
    archive: { column: 2, row: 0, is: 'worker', text: ['Archive'] },
    s3: { column: 3, row: 0, is: 'store', text: ['S3', 'before TTL deletes'] },
    propagate: { column: 1, row: 1, is: 'worker', text: ['Propagate', 'which rules match?'] },
    check: { column: 2, row: 1, is: 'worker', text: ['check', 'equal to its root?'] },
    right: { column: 3, row: 1, is: 'end', text: ['nothing to do'] },
    propagation: {
      ...{ column: 1, row: 2, is: 'worker' },
      text: [
        'propagation',
        '1  read a page of copies',
        '2  then their root',
        '3  project, compare',
        '4  write what differs',
      ],
    },
    queue: { column: 1, row: 3, is: 'store', text: ['fan-out queue'] },
    fanOut: { column: 2, row: 3, is: 'worker', text: ['FanOut', 'the same again'] },
    dead: { column: 3, row: 3, is: 'store', text: ['dead-letter queue', 'keys, a reason'] },
  },
  arrows: [
    { from: ['application', 'right'], to: ['table', 'left'], label: ['writes'] },
    { from: ['table', 'right'], to: ['archive', 'left'], label: ['its stream'] },
    { from: ['archive', 'right'], to: ['s3', 'left'] },
    { from: ['table', 'bottom'], to: ['propagate', 'top'], label: ['its stream'] },
    { from: ['propagate', 'right'], to: ['check', 'left'], label: ['a copy', 'was written'] },
    { from: ['check', 'right'], to: ['right', 'left'], label: ['yes'] },
    { from: ['propagate', 'bottom'], to: ['propagation', 'top'], label: ['a root changed'] },
    { from: ['check', 'bottom'], to: ['propagation', 'right'], label: ['no'] },
    { from: ['propagation', 'left'], to: ['table', 'left'] },
    {
      ...{ from: ['propagation', 'bottom'], to: ['queue', 'top'] },
      label: ['more than a page,', 'throttled, a recheck'],
    },
    { from: ['queue', 'right'], to: ['fanOut', 'left'] },
    { from: ['fanOut', 'right'], to: ['dead', 'left'], label: ['cannot be', 'done'] },
  ],
};

/** docs/archive.md: from an expiry to a restore. */
const archivedItem: Picture = {
  title:
    'An item gets an expiry, by an application or a sweep, and is archived within seconds. It changes, and is archived again. TTL deletes it: its last state is archived, if it differs. denorm archive restore puts a state back into the table, without an expiry.',
  columns: [
    [132, 50],
    [146, 50],
    [126, 50],
    [146, 56],
    [132, 0],
  ],
  boxes: {
    item: { column: 0, row: 0, is: 'end', text: ['an item', 'without an expiry'] },
    expiry: { column: 1, row: 0, is: 'store', text: ['gets its expiry', 'by an application', 'or a sweep'] },
    change: { column: 2, row: 0, is: 'store', text: ['changes'] },
    expired: { column: 3, row: 0, is: 'end', text: ['TTL deletes it'] },
    back: { column: 4, row: 0, is: 'store', text: ['is there again', 'without an expiry'] },
    first: { column: 1, row: 1, is: 'store', text: ['S3: a state'] },
    second: { column: 2, row: 1, is: 'store', text: ['S3: a newer', 'state'] },
    last: { column: 3, row: 1, is: 'store', text: ['S3: its last state', 'if it differs'] },
    restore: { column: 4, row: 1, is: 'person', text: ['denorm archive', 'restore'] },
  },
  arrows: [
    { from: ['item', 'right'], to: ['expiry', 'left'] },
    { from: ['expiry', 'right'], to: ['change', 'left'] },
    { from: ['change', 'right'], to: ['expired', 'left'] },
    { from: ['expiry', 'bottom'], to: ['first', 'top'], label: ['within seconds'] },
    { from: ['change', 'bottom'], to: ['second', 'top'], label: ['within seconds'] },
    { from: ['expired', 'bottom'], to: ['last', 'top'], label: ['its old image'] },
    { from: ['last', 'right'], to: ['restore', 'left'], label: ['or older'] },
    { from: ['restore', 'top'], to: ['back', 'bottom'] },
  ],
};

/** docs/runbook.md: from a failure that no retry can help to copies that are right. */
const deadLetter: Picture = {
  title:
    'A root, an item or a message that no retry can help goes to the dead-letter queue with its key, rule and code, and an alarm is raised. denorm dlq list and show tell the code; the runbook tells the cause. After the item or the rule is corrected, denorm dlq redrive sends it through the fan-out queue, and the worker reads the table as it is then: the copies are right, or a new dead letter says why not. denorm dlq drop is for what needs no more work.',
  columns: [
    [166, 60],
    [156, 80],
    [166, 80],
    [136, 0],
  ],
  boxes: {
    work: { column: 0, row: 0, is: 'worker', text: ['the worker', 'no retry can help'] },
    dead: { column: 1, row: 0, is: 'store', text: ['dead-letter queue', 'key, rule, code', 'for 14 days'] },
    look: { column: 2, row: 0, is: 'person', text: ['denorm dlq list', 'denorm dlq show'] },
    drop: { column: 3, row: 0, is: 'person', text: ['denorm dlq drop'] },
    right: {
      ...{ column: 0, row: 1, is: 'end' },
      text: ['the copies are right', 'or a new dead letter', 'tells why not'],
    },
    queue: { column: 1, row: 2, is: 'store', text: ['fan-out queue'] },
    correct: { column: 2, row: 1, is: 'person', text: ['correct the item,', 'or deploy the rule'] },
    again: { column: 0, row: 2, is: 'worker', text: ['FanOut reads the', 'table as it is now'] },
    redrive: { column: 2, row: 2, is: 'person', text: ['denorm dlq redrive'] },
  },
  arrows: [
    { from: ['work', 'right'], to: ['dead', 'left'] },
    { from: ['dead', 'right'], to: ['look', 'left'], label: ['an alarm'] },
    { from: ['look', 'right'], to: ['drop', 'left'], label: ['not needed'] },
    { from: ['look', 'bottom'], to: ['correct', 'top'], label: ['the code’s line in the runbook'] },
    { from: ['correct', 'bottom'], to: ['redrive', 'top'] },
    { from: ['redrive', 'left'], to: ['queue', 'right'] },
    { from: ['queue', 'left'], to: ['again', 'right'] },
    { from: ['again', 'top'], to: ['right', 'bottom'] },
  ],
};

/** The drawn pictures of the documents, by their names in docs/images. */
export const pictures: Readonly<Record<string, Picture>> = {
  flow,
  'archived-item': archivedItem,
  'dead-letter': deadLetter,
};
