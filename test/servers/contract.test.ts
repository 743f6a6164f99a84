import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { names, openTable } from '../worker/adapters/dynamodb/table-fixture.ts';
import { tablePortSuite } from '../worker/adapters/dynamodb/table-port.suite.ts';
import { otherServers } from './servers.ts';

/** What a server does otherwise than DynamoDB: each of these tests fails on it, with such an error. */
interface Exception {
  readonly titles: RegExp;
  readonly error: RegExp;
  /** Where AWS says what is right. */
  readonly source: string;
}

const digits: Exception = {
  titles: /^refuses what a head cannot store exactly/,
  error: /expected \[ 'written', 'written' \]/,
  source:
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number',
};

/** A statement whose condition fails changes nothing, and is answered as one that did. */
const failedStatements: Exception = {
  titles:
    /^(does not bring back a deleted item: (?!.*a\.b)|sets .*, and writes on condition|treats the name "[a-zA-Z][\w-]*" as|writes sixty in|compares the key attributes)/,
  error: /expected ('written' to be 'lost'|\[ 'written', 'written', …)/,
  source: 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html',
};

describe.each([
  { name: 'MiniStack', start: otherServers.MiniStack, excepted: [digits] },
  { name: 'moto', start: otherServers.moto, excepted: [digits, failedStatements] },
])('$name', ({ name, start, excepted }) => {
  /** By exception, the errors of its tests. */
  const errors = new Map(excepted.map((one): [Exception, string[]] => [one, []]));

  beforeEach(({ task }) => {
    // As `test.fails` does for one test: it passes if it fails, and fails if it passes.
    Object.assign(task, { fails: excepted.some(({ titles }) => titles.test(task.name)) });
  });
  afterEach(({ task }) => {
    for (const one of excepted)
      if (one.titles.test(task.name)) errors.get(one)?.push(task.result?.errors?.[0]?.message ?? 'none');
  });

  tablePortSuite(name, async () => {
    const { client, tableName, ...table } = await openTable(start);
    return { ...table, names, port: dynamoDbTable({ client, tableName, table: names }) };
  });

  test.each(excepted)('still differs from $source', (one) => {
    expect(errors.get(one)).not.toHaveLength(0);
    for (const error of errors.get(one) ?? []) expect(error).toMatch(one.error);
  });
});
