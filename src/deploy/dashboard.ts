import { oneLine, type Resource, sub } from './cloudformation.ts';
import { type FunctionName, serviceOf } from './functions.ts';

type Metric = readonly [namespace: string, name: string, dimension: string, value: string];

interface Widget {
  readonly title: string;
  readonly stat: string;
  readonly metrics: readonly Metric[];
  /** Seconds. Default: 60. */
  readonly period?: number;
}

const each =
  (namespace: string, dimension: string, of: (name: FunctionName) => string) =>
  (metrics: readonly string[], functions: readonly FunctionName[]): Metric[] =>
    metrics.flatMap((metric) => functions.map((name): Metric => [namespace, metric, dimension, of(name)]));
const own = each(`denorm/\${AWS::StackName}`, 'service', serviceOf);
const ofLambda = each('AWS/Lambda', 'FunctionName', (name) => `\${${name}}`);
const ofMappings = each('AWS/Lambda', 'EventSourceMappingUUID', (name) => `\${${name}Stream}`);
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
