import { type Resource, sub } from './cloudformation.ts';
import { type FunctionName, serviceOf } from './functions.ts';
import { oneLine } from './one-line.ts';

/** A metric: its namespace, name, dimension and the dimension's value. */
type Metric = readonly [namespace: string, name: string, dimension: string, value: string];

interface Widget {
  readonly title: string;
  readonly stat: string;
  readonly metrics: readonly Metric[];
  /** Seconds. Default: 60. */
  readonly period?: number;
}

/** Metrics that the functions emit, each of all these functions. */
const own = (names: readonly string[], functions: readonly FunctionName[]): Metric[] =>
  names.flatMap((metric) =>
    functions.map((name): Metric => [`denorm/\${AWS::StackName}`, metric, 'service', serviceOf(name)]),
  );
const ofLambda = (names: readonly string[], functions: readonly FunctionName[]): Metric[] =>
  names.flatMap((metric) =>
    functions.map((name): Metric => ['AWS/Lambda', metric, 'FunctionName', `\${${name}}`]),
  );
const ofMappings = (names: readonly string[], functions: readonly FunctionName[]): Metric[] =>
  names.flatMap((metric) =>
    functions.map((name): Metric => ['AWS/Lambda', metric, 'EventSourceMappingUUID', `\${${name}Stream}`]),
  );
const ofQueue = (name: string, queue: string): Metric => [
  ...(['AWS/SQS', name, 'QueueName', `\${${queue}.QueueName}`] as const),
];

/** The widgets for these functions. One whose metrics are those of others is left out. */
function widgets(functions: readonly FunctionName[]): readonly Widget[] {
  const of = (...names: FunctionName[]) => names.filter((name) => functions.includes(name));
  const propagation = of('Propagate', 'FanOut');
  const streams = of('Propagate', 'Archive');
  const hourly = { stat: 'Sum', period: 3600 };
  return [
    { title: 'Age of the stream (ms)', stat: 'Maximum', metrics: ofLambda(['IteratorAge'], streams) },
    {
      title: 'Errors and throttles',
      stat: 'Sum',
      metrics: ofLambda(['Errors', 'Throttles'], of('Propagate', 'Archive', 'FanOut')),
    },
    {
      title: 'Duration (ms, p99)',
      stat: 'p99',
      metrics: ofLambda(['Duration'], of('Propagate', 'Archive', 'FanOut')),
    },
    {
      title: 'Copies',
      stat: 'Sum',
      metrics: own(['CopiesWritten', 'CopiesUnchanged', 'ConditionsLost'], propagation),
    },
    {
      title: 'Checks',
      stat: 'Sum',
      metrics: own(['CopiesChecked', 'CopiesCorrectedByCheck', 'Orphans', 'MembersSkipped'], propagation),
    },
    {
      title: 'Age of a change when its copies are written (ms, p99)',
      stat: 'p99',
      metrics: own(['ChangeAge'], propagation),
    },
    {
      title: 'Queues',
      stat: 'Maximum',
      metrics: [
        ofQueue('ApproximateNumberOfMessagesVisible', 'FanOutQueue'),
        ofQueue('ApproximateNumberOfMessagesDelayed', 'FanOutQueue'),
        ofQueue('ApproximateNumberOfMessagesVisible', 'DeadLetterQueue'),
      ],
    },
    {
      title: 'Dead letters and requeued work',
      stat: 'Sum',
      metrics: [...own(['DeadLettered', 'Requeued'], propagation), ...own(['DeadLettered'], of('Archive'))],
    },
    { title: 'Archive', stat: 'Sum', metrics: own(['ItemsArchived', 'RequestsFailed'], of('Archive')) },
    {
      title: 'Sweep',
      ...hourly,
      metrics: own(['ItemsSwept', 'ItemsArchived', 'ItemsUnclassified'], of('Sweep')),
    },
    { title: 'Verify', ...hourly, metrics: own(['CopiesVerified', 'DriftFound'], of('Verify')) },
    {
      title: 'Given up by Lambda',
      stat: 'Sum',
      metrics: ofMappings(['OnFailureDestinationDeliveredEventCount', 'DroppedEventCount'], streams),
    },
    {
      title: 'Pace of fan-outs (write units a second)',
      stat: 'Minimum',
      metrics: own(['FanOutPace'], propagation),
    },
    { title: 'Writes throttled', stat: 'Sum', metrics: own(['WritesThrottled'], propagation) },
  ].filter(({ metrics }) => metrics.length > 0);
}

/** Widgets in a row, and the size of each. */
const across = 3;
const [width, height] = [8, 6];

/** The dashboard of these functions. Its name is one for all regions of an account. */
export function dashboard(functions: readonly FunctionName[]): Resource {
  const lines = widgets(functions).map(({ title, stat, metrics, period = 60 }, index) =>
    oneLine({
      type: 'metric',
      ...{ x: (index % across) * width, y: Math.floor(index / across) * height, width, height },
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
