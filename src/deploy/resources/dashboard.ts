import { type FunctionName, serviceOf } from '../../model/work/settings.ts';
import { oneLine, type Resource, sub } from '../cloudformation.ts';

type Metric = readonly [namespace: string, name: string, dimension: string, value: string];

/** Finds each rule that has values: the dashboard does not change with the rules. */
type Search = readonly [{ readonly id: string; readonly expression: string }];

interface Widget {
  readonly title: string;
  readonly stat: string;
  /** Seconds. */
  readonly period: number;
  readonly metrics: readonly (Metric | Search)[];
}

const each =
  (namespace: string, dimension: string, of: (name: FunctionName) => string) =>
  (metrics: readonly string[], functions: readonly FunctionName[]): Metric[] =>
    metrics.flatMap((metric) => functions.map((name): Metric => [namespace, metric, dimension, of(name)]));
const own = each(`denorm/\${AWS::StackName}`, 'service', serviceOf);
const ofLambda = each('AWS/Lambda', 'FunctionName', (name) => `\${${name}}`);
/** Of `MessageWait`: the waits that end in five minutes, by those five minutes, are the messages that wait (Little's law). */
const byRule = (id: string, statistic: string, per = ''): Search[] => {
  const search = `SEARCH('{"denorm/\${AWS::StackName}",service,rule} MetricName="MessageWait"', '${statistic}', 300)`;
  return [[{ id, expression: `${search}${per}` }]];
};
const ofMappings = each('AWS/Lambda', 'EventSourceMappingUUID', (name) => `\${${name}Stream}`);
const ofQueue = (which: string, queue: string) =>
  ['AWS/SQS', `ApproximateNumberOfMessages${which}`, 'QueueName', `\${${queue}.QueueName}`] as const;

/** The widgets for these functions. One whose metrics are those of others is left out. */
function widgets(functions: readonly FunctionName[]): readonly Widget[] {
  const of = (...names: FunctionName[]) => names.filter((name) => functions.includes(name));
  const propagation = of('Propagate', 'FanOut');
  const streams = of('Propagate', 'Archive');
  const invoked = of('Propagate', 'Archive', 'FanOut');
  const widget = (title: string, stat: string, ...metrics: readonly (Metric | Search)[][]): Widget => {
    return { title, stat, period: 60, metrics: metrics.flat() };
  };
  const hourly = (title: string, metrics: Metric[]) => ({ ...widget(title, 'Sum', metrics), period: 3600 });
  const everyBeat = (title: string, metrics: readonly string[]) => ({
    ...widget(title, 'Maximum', own(metrics, of('Heartbeat'))),
    period: 300,
  });
  return [
    widget('Age of the stream (ms)', 'Maximum', ofLambda(['IteratorAge'], streams)),
    widget('Errors and throttles', 'Sum', ofLambda(['Errors', 'Throttles'], invoked)),
    widget('Duration (ms, p99)', 'p99', ofLambda(['Duration'], invoked)),
    widget('Copies', 'Sum', own(['CopiesWritten', 'CopiesUnchanged', 'ConditionsLost'], propagation)),
    widget(
      'Checks',
      'Sum',
      own(['CopiesChecked', 'CopiesCorrectedByCheck', 'Orphans', 'MembersSkipped'], propagation),
    ),
    widget('Age of a change when its copies are written (ms, p99)', 'p99', own(['ChangeAge'], propagation)),
    widget('Queues', 'Maximum', [
      ofQueue('Visible', 'FanOutQueue'),
      ofQueue('Delayed', 'FanOutQueue'),
      ofQueue('Visible', 'DeadLetterQueue'),
    ]),
    widget('Messages in the fan-out queue, about, by rule', 'Sum', byRule('waiting', 'Sum', ' / 300000')),
    widget('Longest wait in the fan-out queue, by rule (ms)', 'Maximum', byRule('wait', 'Maximum')),
    widget('Since when DynamoDB refuses work (s)', 'Maximum', own(['UnavailableAge'], of('FanOut'))),
    widget('Messages received in five minutes, by rule', 'SampleCount', byRule('rate', 'SampleCount')),
    widget(
      'Dead letters and requeued work',
      'Sum',
      own(['DeadLettered', 'Requeued'], propagation),
      own(['DeadLettered'], of('Archive')),
    ),
    widget('Archive', 'Sum', own(['ItemsArchived', 'RequestsFailed'], of('Archive'))),
    hourly('Sweep', own(['ItemsSwept', 'ItemsArchived', 'ItemsUnclassified'], of('Sweep'))),
    hourly('Verify', own(['CopiesVerified', 'DriftFound'], of('Verify'))),
    everyBeat('Heartbeat (s; beats lost)', ['BeatOverdue', 'BeatRoundTrip', 'BeatsLost']),
    everyBeat('Age of the oldest pause (s)', ['PauseAge']),
    widget(
      'Given up by Lambda',
      'Sum',
      ofMappings(['OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'], streams),
    ),
    widget('Pace of fan-outs (write units a second)', 'Minimum', own(['FanOutPace'], propagation)),
    widget('Writes throttled', 'Sum', own(['WritesThrottled'], propagation)),
  ].filter(({ metrics }) => metrics.length > 0);
}

const across = 3;
const [width, height] = [8, 6];

/** The dashboard of these functions. Its name is one for all regions of an account. */
export function dashboard(functions: readonly FunctionName[]): Resource {
  const lines = widgets(functions).map(({ title, stat, metrics, period }, index) =>
    oneLine({
      type: 'metric',
      x: (index % across) * width,
      y: Math.floor(index / across) * height,
      width,
      height,
      properties: { title, region: `\${AWS::Region}`, stat, period, view: 'timeSeries', metrics },
    }),
  );
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: {
      DashboardName: sub(`\${AWS::StackName}-\${AWS::Region}`),
      DashboardBody: sub(`{ "widgets": [\n  ${lines.join(',\n  ')}\n] }\n`),
    },
  };
}
