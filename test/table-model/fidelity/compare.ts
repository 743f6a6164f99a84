import { Random } from '../../../src/develop/testing/simulation/random.ts';
import { ModelledTable } from './modelled-table.ts';
import { nextOperation, type Operation } from './operations.ts';
import { historySaid, readStream } from './served-stream.ts';
import { ServedTable } from './served-table.ts';

/** After so many differences a batch ends: the tables may have drifted apart. */
const maxShown = 3;

export interface BatchOutcome {
  /** Operations by kind and answer, for a reader to see that all sorts came up. */
  readonly answers: ReadonlyMap<string, number>;
  readonly differences: readonly string[];
}

/** Asks the model and a new table of a server the same, operation by operation, and compares every answer. */
export async function compareBatch(
  endpoint: string,
  seed: number,
  operations: number,
): Promise<BatchOutcome> {
  const random = new Random(seed);
  const modelled = new ModelledTable();
  const served = await ServedTable.open(endpoint);
  const differences: string[] = [];
  const answers = new Map<string, number>();
  try {
    let asked = 0;
    while (asked < operations && differences.length < maxShown) {
      const operation = nextOperation(random, modelled.table);
      asked += 1;
      const expected = await modelled.ask(operation);
      const answer = await served.ask(operation);
      const kind = `${operation.is} ${outcomeIn(answer)}`;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      if (answer !== expected)
        differences.push(
          `operation ${asked}, ${textOf(operation)}\n  model:  ${expected}\n  server: ${answer}`,
        );
    }
    const { history } = modelled.table;
    const said = await readStream(endpoint, served.streamArn, history.length);
    differences.push(...streamDifferences(historySaid(history), said.byItem));
    if (said.disordered > 0) differences.push(`${said.disordered} records of an item are not in order`);
    return { answers, differences };
  } finally {
    await served.close();
  }
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
