import { DenormError } from '../../model/basics/errors.ts';
import { type AttributeValue, equal } from '../../model/items/attribute-value.ts';
import { attribute, type ItemKey, keyText } from '../../model/items/item.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import { digestOf } from '../../worker/archive/object.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import type { ClockPort, TablePort } from '../../worker/ports.ts';
import type { OwnItems, Writes } from './own-items.ts';

/** What must come to hold of an item: each of these attributes, an undefined one missing; or that it is gone. */
export interface Expected {
  readonly key: ItemKey;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>> | 'gone';
}

/** What an application does, and what follows. */
export interface Step extends Writes {
  readonly does: 'creation' | 'change' | 'removal';
  readonly expected: readonly Expected[];
  /** Whether an object of the archive has the state of its item, or is gone. */
  readonly objects: readonly {
    readonly objectKey: string;
    readonly key: ItemKey;
    readonly stored: boolean;
  }[];
  /** As Lambda delivers the change. */
  readonly records: readonly object[];
}

/** What proves a rule, an aggregate or an archive rule on a deployed stack. */
export interface SmokeTest {
  readonly rule: string;
  readonly reader: StreamFunction;
  readonly steps: readonly Step[];
  /** Of items and objects that the functions may make. */
  readonly made: { readonly keys: readonly ItemKey[]; readonly objectKeys: readonly string[] };
  /** How long the rule may wait by itself, in seconds. */
  readonly every: number;
}

/** `unproven`: nothing could be tried, or the service does not say. `off`: a parameter of the stack switches it off. */
type Status = 'proven' | 'failed' | 'unproven' | 'off';

export interface Line {
  /** The name of a rule, or a part of the stack. */
  readonly check: string;
  readonly of: 'rule' | 'stack';
  readonly status: Status;
  /** What was found and, if it failed, what to do. Never item content. */
  readonly detail: string;
}

/** Between two looks. */
const pauseMs = 300;

export interface SmokeContext {
  readonly table: Pick<TablePort, 'get'>;
  /** Undefined for a stack without an archive. */
  readonly archive: Pick<ArchiveReader, 'details'> | undefined;
  readonly items: Pick<OwnItems, 'write' | 'expect'>;
  readonly clock: ClockPort;
  /** How long each step is waited for, in seconds. */
  readonly within: number;
  /** Whether the run is to end. */
  readonly stop: () => boolean;
  /** Why the function itself refuses these changes; undefined if it accepts them. */
  readonly refusalOf: (
    reader: SmokeTest['reader'],
    records: readonly object[],
  ) => Promise<string | undefined>;
}

export async function runSmokeTest(context: SmokeContext, smokeTest: SmokeTest): Promise<Line> {
  const { rule, reader, steps, every } = smokeTest;
  const times: string[] = [];
  context.items.expect(smokeTest.made.keys, smokeTest.made.objectKeys);
  return lineOf('rule', rule, async () => {
    for (const step of steps) {
      const began = context.clock.now();
      await context.items.write(step);
      const unmet = await unmetAfter(context, step, began + (context.within + every) * 1000);
      if (unmet.length > 0) {
        const why = context.stop() ? 'the run was stopped' : await context.refusalOf(reader, step.records);
        const detail = `after its ${step.does}, not as expected: ${unmet.join('; ')}`;
        const fine = `${reader} accepts these changes when it is invoked, so its event source does not bring them in time: see its line; right after a deployment, raise --within`;
        return { status: 'failed', detail: `${detail}: ${why ?? fine}` };
      }
      times.push(`${step.does} in ${((context.clock.now() - began) / 1000).toFixed(1)} s`);
    }
    return { status: 'proven', detail: times.join(', ') };
  });
}

/** An error becomes a failed line with the error's sentence, which names the permission or the remedy. */
export async function lineOf(
  of: Line['of'],
  check: string,
  look: () => Promise<Pick<Line, 'status' | 'detail'>>,
): Promise<Line> {
  try {
    return { check, of, ...(await look()) };
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    return { check, of, status: 'failed', detail: `${error.code}: ${error.message}` };
  }
}

async function unmetAfter(context: SmokeContext, step: Step, end: number): Promise<readonly string[]> {
  for (;;) {
    const unmet = (
      await Promise.all([
        ...step.expected.map((one) => unmetOf(context, one)),
        ...unmetObjects(context, step),
      ])
    ).flat();
    if (unmet.length === 0 || context.clock.now() > end || context.stop()) return unmet;
    await context.clock.sleep(pauseMs);
  }
}

async function unmetOf({ table }: SmokeContext, { key, attributes }: Expected): Promise<string[]> {
  const found = await table.get(key);
  if (attributes === 'gone') return found === undefined ? [] : [`${keyText(key)} is still there`];
  if (found === undefined) return [`${keyText(key)} is not there`];
  const other = Object.entries(attributes).filter(
    ([name, value]) => !equal(value, attribute(found.item, name)),
  );
  return other.length === 0 ? [] : [`${other.map(([name]) => name).join(', ')} of ${keyText(key)}`];
}

function unmetObjects({ table, archive }: SmokeContext, { objects }: Step): Promise<string[]>[] {
  return objects.map(async ({ objectKey, key, stored }) => {
    const [found, present] = await Promise.all([archive?.details(objectKey), table.get(key)]);
    if (!stored) return found === undefined ? [] : [`${objectKey} is still there`];
    if (found === undefined) return [`${objectKey} is not there`];
    return present !== undefined && found.digest !== digestOf(present.item)
      ? [`${objectKey} has another state`]
      : [];
  });
}
