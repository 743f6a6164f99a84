import { Random } from '../../../src/develop/testing/simulation/random.ts';
import type { Committed } from '../../../src/develop/testing/table-model/model-table.ts';
import { sameKey } from '../../../src/model/item.ts';
import { ModelledTable } from './modelled-table.ts';
import { nextOperation, type Operation } from './operations.ts';
import { historySaid, readStream } from './served-stream.ts';
import { ServedTable } from './served-table.ts';

/** After so many differences a batch ends: the tables may have drifted apart. */
const maxShown = 3;

/** What a server does otherwise than DynamoDB, and is not a fault of the model. differences.md lists it. */
export interface Leniency {
  /** It writes no record of what a statement changed, and takes what no index key may be from one: not asked. */
  readonly looseStatements: boolean;
}

export interface BatchOutcome {
  readonly seed: number;
  readonly operations: number;
  /** Operations by kind and answer, for a reader to see that all sorts came up. */
  readonly answers: ReadonlyMap<string, number>;
  readonly records: number;
  /** Stream records of writes that changed nothing. DynamoDB writes none, and these are not compared. */
  readonly idleRecords: number;
  readonly differences: readonly string[];
}

/** Asks the model and a new table of a server the same, operation by operation, and compares every answer. */
export async function compareBatch(
  endpoint: string,
  seed: number,
  operations: number,
  leniency: Leniency,
): Promise<BatchOutcome> {
  const random = new Random(seed);
  const modelled = new ModelledTable();
  const served = await ServedTable.open(endpoint);
  const differences: string[] = [];
  const answers = new Map<string, number>();
  const { history } = modelled.table;
  const shown: Committed[] = [];
  try {
    let asked = 0;
    while (asked < operations && differences.length < maxShown) {
      const operation = nextOperation(random, modelled.table);
      if (leniency.looseStatements && isLoose(operation)) continue;
      asked += 1;
      const changes = history.length;
      const expected = await modelled.ask(operation);
      const made = history.slice(changes);
      shown.push(
        ...(leniency.looseStatements ? made.filter((change) => !isSilent(operation, change)) : made),
      );
      const answer = await served.ask(operation);
      const kind = `${operation.is} ${outcomeIn(answer)}`;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      if (answer !== expected)
        differences.push(
          `operation ${asked}, ${textOf(operation)}\n  model:  ${expected}\n  server: ${answer}`,
        );
    }
    const said = await readStream(endpoint, served.streamArn, shown.length);
    differences.push(...streamDifferences(historySaid(shown), said.byItem));
    if (said.disordered > 0) differences.push(`${said.disordered} records of an item are not in order`);
    return { seed, operations: asked, answers, records: shown.length, idleRecords: said.idle, differences };
  } finally {
    await served.close();
  }
}

/** Whether a change was made by a statement: unusual names go by requests of their own. */
function isSilent(operation: Operation, { key }: Committed): boolean {
  if (operation.is !== 'statements') return false;
  const update = operation.updates.find((one) => sameKey(one.key, key));
  const names = update && [...Object.keys(update.set), ...update.remove, ...Object.keys(update.expect)];
  return names?.every((name) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) === true;
}

/** Whether a statement sets an index key to what none may be. */
function isLoose(operation: Operation): boolean {
  return (
    operation.is === 'statements' &&
    operation.updates.some(({ set }) =>
      [set['TagPk'], set['TagSk']].some((value) => value !== undefined && !('S' in value && value.S !== '')),
    )
  );
}

/** The outcome of a write; of several, `mixed` where they differ; `answered` of a read. */
function outcomeIn(answer: string): string {
  if (!/^(written|lost|refused|root|unavailable)(,|$)/.test(answer)) return 'answered';
  const [first = '', ...others] = new Set(answer.split(','));
  return others.length === 0 ? first : 'mixed';
}

function streamDifferences(
  expected: ReadonlyMap<string, readonly string[]>,
  said: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...new Set([...expected.keys(), ...said.keys()])]
    .flatMap((item) => {
      const model = expected.get(item) ?? [];
      const server = said.get(item) ?? [];
      const at = Array.from({ length: Math.max(model.length, server.length) }).findIndex(
        (_, index) => model[index] !== server[index],
      );
      const one = `stream of ${item}, change ${at + 1}`;
      return at < 0 ? [] : [`${one}\n  model:  ${model[at] ?? 'none'}\n  server: ${server[at] ?? 'none'}`];
    })
    .slice(0, maxShown);
}

function textOf(operation: Operation): string {
  return JSON.stringify(operation, (_, value: unknown) =>
    typeof value === 'string' && value.length > 100 ? `${value.slice(0, 20)}… of ${value.length}` : value,
  );
}
