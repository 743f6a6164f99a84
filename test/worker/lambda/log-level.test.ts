import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { namespace, ownAlarmMetrics } from './alarms.ts';
import { metricsIn, passesLogFilter } from './log-filter.ts';

const program = fileURLToPath(new URL('./every-metric.ts', import.meta.url));

/** The lines of a function's telemetry that counts every metric this many times. */
async function written(service: string, times: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(times)], {
    env: {
      ...process.env,
      // The template's settings for `LogLevel=ERROR`.
      ...{ POWERTOOLS_LOG_LEVEL: 'ERROR', AWS_LAMBDA_LOG_LEVEL: 'ERROR', AWS_LAMBDA_LOG_FORMAT: 'JSON' },
      ...{ POWERTOOLS_METRICS_NAMESPACE: namespace, POWERTOOLS_SERVICE_NAME: service },
      ...{ POWERTOOLS_DEV: '', VITEST: '', NODE_ENV: '' },
    },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

const watched = Map.groupBy(ownAlarmMetrics(), ({ dimensions }) => String(dimensions['service']));

describe("Lambda's log filter", () => {
  it.each([
    ['{"level": "debug", "timestamp": "2024-11-02T16:51:31.587199Z"}', 'DEBUG', 'INFO'],
    ['{"level": "ERROR", "timestamp": "2024-11-02T16:51:31Z"}', 'ERROR', 'FATAL'],
    ['{"message": "without a level", "timestamp": "2024-11-02T16:51:31Z"}', 'INFO', 'WARN'],
    ['{"level": "LOUD", "timestamp": "2024-11-02T16:51:31Z"}', 'INFO', 'WARN'],
    ['{"level": "ERROR", "timestamp": 1730566291}', 'INFO', 'WARN'],
    ['{"level": "ERROR"}', 'INFO', 'WARN'],
    ['no JSON', 'INFO', 'WARN'],
  ] as const)('keeps %s at %s, and drops it at %s', (line, kept, dropped) => {
    expect(passesLogFilter(line, kept)).toBe(true);
    expect(passesLogFilter(line, dropped)).toBe(false);
  });
});

describe.each([...watched.keys()])('at LogLevel=ERROR, the log of %s', (service) => {
  it.each([1, 250])('has every metric of every alarm, counted %i times', async (times) => {
    const kept = (await written(service, times)).filter((line) => passesLogFilter(line, 'ERROR'));
    const metrics = kept.flatMap(metricsIn);
    const alarms = watched.get(service) ?? [];
    expect(alarms.length).toBeGreaterThan(0);
    for (const { alarm, name, dimensions } of alarms) {
      const found = metrics.filter((one) => one.name === name && one.namespace === namespace);
      for (const one of found) expect(one.dimensions, alarm).toEqual(dimensions);
      const values = found.flatMap((one) => one.values);
      expect(
        values.reduce((sum, value) => sum + value, 0),
        alarm,
      ).toBe(times);
    }
  });
});
