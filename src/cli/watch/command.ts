import type { Command } from 'commander';
import { startPageServer } from '../../page/server/page-server.ts';
import { stackPage } from '../../page/stack-page.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { asDeployed } from '../explain/command.ts';
import { untilAsked } from '../interruption.ts';
import { portNumber } from '../options/option-values.ts';
import { type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import { openTableServices, type ServiceOptions, withConnection } from '../options/services.ts';
import { staged } from '../options/stage.ts';

interface WatchOptions extends ServiceOptions, RulesOptions {
  readonly port: number;
}

export function watchCommand(command: Command): Command {
  return withRules(withConnection(command))
    .option(
      '--port <number>',
      'port of the page on 127.0.0.1, or the next free one of twenty',
      portNumber,
      8001,
    )
    .addHelpText('after', helpAfter)
    .action(watch);
}

const helpAfter = `
Prints \`page http://127.0.0.1:8001/?token=…\`: open it in your browser; only you can. What it shows and costs: docs/dev-page.md.

Required on AWS: cloudformation:DescribeStacks; lambda:GetFunctionConfiguration; cloudwatch:GetMetricData; dynamodb:GetItem,
BatchGetItem and Query on the table and its indexes; sqs:ReceiveMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on
the dead-letter queue; s3:ListBucket on the failure bucket.`;

async function watch(options: WatchOptions): Promise<void> {
  const { stack: stackName } = await staged(options);
  if (stackName === undefined)
    throw new UsageError(
      'usage.stack',
      'Expected --stack NAME, or --stage NAME of a stage with a stack, got neither: name the stack, or run `denorm dev` for a page on a local table',
    );
  const stop = untilAsked();
  const services = await openTableServices(options);
  try {
    const { connection, stack } = services;
    if (stack === undefined)
      throw new UsageError('usage.stack', 'Expected a stack, got a table: name the stack');
    const { registry, environment } = await rulesInForce(services, options);
    const source = stackPage({
      ...services,
      registry,
      stack,
      settings: asDeployed(environment),
      namespace: environment['POWERTOOLS_METRICS_NAMESPACE'],
      name: `of stack ${stackName} in ${await connection.dynamoDb.config.region()}`,
    });
    const server = await startPageServer(source, options.port);
    if (server === undefined)
      throw new UsageError(
        'usage.port',
        `Expected a free port from ${options.port} on, got twenty-one that are taken: name another with --port`,
      );
    try {
      console.log(`page ${server.url}`);
      console.error(`denorm: ends because of ${await stop}`);
    } finally {
      await server.close();
    }
  } finally {
    services.close();
  }
  process.exitCode = exitCodes.fine;
}
