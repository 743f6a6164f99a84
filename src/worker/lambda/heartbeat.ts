import type { Config } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { BeatPath } from '../../model/work/heartbeat.ts';
import { dynamoDbReads } from '../adapters/dynamodb/dynamodb-table.ts';
import { putAttributes } from '../adapters/dynamodb/put-attributes.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { FunctionSettings } from '../environment.ts';
import { type HeartbeatReport, sendBeat } from '../heartbeat.ts';
import { beforeEnd, dynamoDbClient, reserveForAnswerMs, until } from './clients.ts';
import { handler, type Invoked } from './handler.ts';
import { HeartbeatTelemetry } from './telemetry.ts';

/** The handler of `Heartbeat`, which sends a beat the way of a change, and publishes which have not arrived. */
export function heartbeatHandler(config: Config): Invoked<unknown, HeartbeatReport> {
  return handler('Heartbeat', config, HeartbeatTelemetry, ({ settings, registry, telemetry }) => {
    const { tableName, heartbeatDelaySeconds: delaySeconds } = settings;
    const dynamoDb = dynamoDbClient();
    return async (_, invocation) => {
      const client = until(beforeEnd(invocation, reserveForAnswerMs), dynamoDb);
      const access = { client, tableName, table: registry.table };
      const report = await sendBeat({
        registry,
        table: dynamoDbReads(access),
        write: (update) => putAttributes(access, update),
        clock: systemClock,
        delaySeconds,
        paths: pathsOf(settings, registry),
      });
      telemetry.beaten(report);
      return report;
    };
  });
}

/** The paths that the stack has and that are on. A disabled rule leaves its mapping. */
function pathsOf(
  { propagateEnabled, archiveEnabled }: FunctionSettings<'Heartbeat'>,
  { rules, aggregates, archives, disabled }: Registry,
): readonly BeatPath[] {
  const propagates = [rules, aggregates, disabled.rules, disabled.aggregates].flat().length > 0;
  const stores = archives.length + disabled.archives.length > 0;
  return [
    ...(propagateEnabled && propagates ? (['fan-out'] as const) : []),
    ...(archiveEnabled && stores ? (['archive'] as const) : []),
  ];
}
