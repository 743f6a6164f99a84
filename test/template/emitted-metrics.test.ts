import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { metricNames } from '../../src/worker/lambda/telemetry.ts';
import { stack } from '../fixtures/application/stack.ts';
import { alarmMetrics, namespace } from '../worker/lambda/alarms.ts';

/** The functions whose telemetry emits metrics, by the dimension `service`. */
const services = ['propagate', 'archive', 'fan-out', 'sweep', 'verify'];
const emitted: readonly string[] = Object.values(metricNames);

const body = z.object({
  widgets: z.array(
    z.object({
      properties: z.object({ title: z.string(), metrics: z.array(z.array(z.string())) }),
    }),
  ),
});

/** Every metric of the dashboard: its widget, then namespace, name, dimension and the dimension's value. */
function dashboardMetrics() {
  const dashboards = Object.values(stack.Resources).filter(
    ({ Type }) => Type === 'AWS::CloudWatch::Dashboard',
  );
  const sub = z.object({ DashboardBody: z.object({ 'Fn::Sub': z.string() }) });
  return dashboards.flatMap(({ Properties }) => {
    const { widgets } = body.parse(JSON.parse(sub.parse(Properties).DashboardBody['Fn::Sub']));
    return widgets.flatMap(({ properties: { title, metrics } }) =>
      metrics.map(([space = '', name = '', dimension = '', value = '']) => ({
        ...{ title, name, dimension, value, isOwn: space.startsWith('denorm/') },
        space,
      })),
    );
  });
}

const shown = dashboardMetrics();

describe('the dashboard', () => {
  it('is read by this test', () => {
    expect(shown.filter(({ isOwn }) => isOwn).length).toBeGreaterThan(20);
    expect(shown.filter(({ isOwn }) => !isOwn).length).toBeGreaterThan(10);
  });

  it.each(shown.filter(({ isOwn }) => isOwn))(
    'shows in "$title" $name of $value, which the functions emit',
    ({ space, name, dimension, value }) => {
      expect(space).toBe(`denorm/$\{AWS::StackName}`);
      expect(emitted).toContain(name);
      expect(dimension).toBe('service');
      expect(services).toContain(value);
    },
  );

  it('shows nothing else but metrics of AWS', () => {
    const others = shown.filter(({ isOwn }) => !isOwn).map(({ space }) => space);

    expect([...new Set(others)].sort()).toEqual(['AWS/Lambda', 'AWS/SQS']);
  });
});

describe('an alarm', () => {
  it.each(alarmMetrics().filter(({ namespace: space }) => !space.startsWith('AWS/')))(
    '$alarm watches $name, which the functions emit',
    ({ namespace: space, name, dimensions }) => {
      expect(space).toBe(namespace);
      expect(emitted).toContain(name);
      expect(Object.keys(dimensions)).toEqual(['service']);
      expect(services).toContain(dimensions['service']);
    },
  );
});
