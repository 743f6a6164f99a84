import { installParseJson } from '../../model/basics/parse-json.ts';
import type { Config } from '../../model/rules/config.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { FunctionName } from '../../model/work/settings.ts';
import { deployedRules, type FunctionSettings, functionSettings } from '../environment.ts';
import type { Remaining } from './clients.ts';
import type { LambdaTelemetry } from './telemetry.ts';

export type Invoked<Event, Answer> = (event: Event, invocation: Remaining) => Promise<Answer>;

interface Started<Name extends FunctionName, Telemetry> {
  readonly settings: FunctionSettings<Name>;
  readonly registry: Registry;
  readonly telemetry: Telemetry;
}

/** Started once, and invoked with each event. */
export function handler<Name extends FunctionName, Telemetry extends LambdaTelemetry, Event, Answer>(
  name: Name,
  config: Config,
  MadeTelemetry: new () => Telemetry,
  start: (started: Started<Name, Telemetry>) => Invoked<Event, Answer>,
): Invoked<Event, Answer> {
  const settings = functionSettings(name);
  const telemetry = new MadeTelemetry();
  return flushing(telemetry, start({ settings, registry: deployedRules(config), telemetry }));
}

/** Writes the metrics at the end of each invocation, even if it fails, and reads JSON with any names. */
export function flushing<Event, Answer>(
  telemetry: LambdaTelemetry,
  run: Invoked<Event, Answer>,
): Invoked<Event, Answer> {
  installParseJson();
  return async (event, invocation) => {
    try {
      return await run(event, invocation);
    } finally {
      telemetry.flush();
    }
  };
}
