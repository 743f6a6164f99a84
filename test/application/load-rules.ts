import type { Registry } from '../../src/model/registry.ts';
import config from './denorm.config.ts';

export interface ApplicationSettings {
  readonly statusShards?: number;
  readonly agedAfterDays?: number;
  readonly disabled?: readonly string[];
}

/** The rules of the tests' application. */
export function loadRules({
  statusShards,
  agedAfterDays,
  disabled = [],
}: ApplicationSettings = {}): Registry {
  return config.registry({
    parameters: {
      ...(statusShards !== undefined && { StatusShards: statusShards }),
      ...(agedAfterDays !== undefined && { SweepAfterDays: agedAfterDays }),
    },
    disabled,
  });
}
