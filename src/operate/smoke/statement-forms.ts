import { type AttributeValue, canonicalMap } from '../../model/items/attribute-value.ts';
import { type Item, type ItemKey, keyAttributes } from '../../model/items/item.ts';
import { keyParts, type TableNames } from '../../model/items/table-names.ts';
import { changed, type Expectation } from '../../model/work/guarded-write.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { OwnItems } from './own-items.ts';
import { type Line, lineOf } from './smoke-test.ts';

/** An item, and what does not hold for it. What holds: that it is as it is, unless `holds` says otherwise. */
interface Form {
  readonly item: Item;
  readonly holds?: Expectation;
  readonly fails: readonly Expectation[];
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const digits38 = '12345678901234567890123456789012345678';
const nearby38 = '12345678901234567890123456789012345679';
const one: AttributeValue = { S: '1' };

/** A value of each type, and another that must not count as equal to it. */
function equality(was: AttributeValue, other: AttributeValue): Form {
  return { item: { was }, fails: [{ was: other }, { was: undefined }] };
}

/** What only DynamoDB itself can say of the conditions that a rule can lead to. */
const forms: Readonly<Record<string, Form>> = {
  S: equality({ S: 'it\'s a "text" ?, ÿ 🙂\n' }, { S: 'another' }),
  N: equality({ N: digits38 }, { N: nearby38 }),
  B: equality({ B: bytes(0, 255, 128) }, { B: bytes(0, 255) }),
  BOOL: equality({ BOOL: true }, { BOOL: false }),
  NULL: equality({ NULL: true }, { BOOL: false }),
  L: equality({ L: [{ S: 'a' }, { N: digits38 }, { L: [{ NULL: true }] }] }, { L: [{ S: 'a' }] }),
  M: equality({ M: { a: { N: digits38 }, 'b c': { SS: ['x'] } } }, { M: { a: { N: nearby38 } } }),
  SS: equality({ SS: ['b', 'a'] }, { SS: ['a'] }),
  NS: equality({ NS: [digits38, nearby38] }, { NS: [digits38] }),
  BS: equality({ BS: [bytes(1), bytes(2, 3)] }, { BS: [bytes(1)] }),
  'numbers and sets spelt in another way': {
    item: { n: { N: '1' }, ns: { NS: ['3', '20', '1'] }, ss: { SS: ['b', 'a'] } },
    holds: { n: { N: '1.0' }, ns: { NS: ['1', '3.0', '2E1'] }, ss: { SS: ['a', 'b'] } },
    fails: [{ n: { N: '10' } }],
  },
  'empty values': {
    item: { s: { S: '' }, b: { B: bytes() }, l: { L: [] }, m: { M: {} } },
    fails: [{ s: undefined }, { m: undefined }],
  },
  'missing attributes': {
    item: { a: one, b: { NULL: true } },
    holds: { c: undefined },
    fails: [{ b: undefined }, { a: undefined }, { c: one }],
  },
  'reserved words, case and hyphens': {
    item: { Status: one, select: one, 'a-b': one },
    fails: [{ status: one }, { 'a-b': undefined }],
  },
  'dots and quotes in names': { item: { 'a.b': one, 'q"q': one }, fails: [{ 'a.b': undefined }] },
  'more names than a statement holds': {
    item: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${'long-'.repeat(10)}${n}`, one])),
    fails: [{ a: one }],
  },
};

/** Puts each form through the worker's own updates, on an item of its own. */
export function formsLine(
  table: Pick<TablePort, 'get' | 'update'>,
  names: TableNames,
  items: Pick<OwnItems, 'write'>,
  run: string,
): Promise<Line> {
  return lineOf('stack', 'forms of updates', async () => {
    if (keyParts(names).pk[0]?.type === 'N')
      return {
        status: 'unproven',
        detail: 'the partition key is a number, which says not whose item it is',
      };
    const isRight = async ({ item, holds = item, fails }: Form, name: string) => {
      const key = keyOfForm(names, run, name);
      const before = { ...item, ...keyAttributes(names, key) };
      await items.write({ puts: [before], removes: [] });
      const change = { key, set: { now: one, ...item }, remove: ['never-there'] };
      const outcomes = await table.update([...fails, holds].map((expect) => ({ ...change, expect })));
      const after = changed(before, change.set, change.remove);
      return (
        outcomes.every((outcome, at) => outcome === (at < fails.length ? 'lost' : 'written')) &&
        canonicalMap((await table.get(key))?.item ?? {}) === canonicalMap(after)
      );
    };
    const right = await Promise.all(Object.entries(forms).map(([name, form]) => isRight(form, name)));
    const wrong = Object.keys(forms).filter((_, index) => !right[index]);
    if (wrong.length === 0) return { status: 'proven', detail: `${right.length} forms` };
    const todo = 'set PropagateEnabled=false if copies have such values, and report this';
    return {
      status: 'failed',
      detail: `DynamoDB does not treat them as the worker relies on: ${wrong.join('; ')}: ${todo}`,
    };
  });
}

/** A key of this run: of a partition for each form if the sort key cannot name it. */
function keyOfForm(names: TableNames, run: string, form: string): ItemKey {
  const [ofSk] = keyParts(names).sk;
  if (ofSk?.type === 'S') return { pk: run, sk: form };
  return { pk: `${run}#${form}`, sk: ofSk === undefined ? '' : '1' };
}
