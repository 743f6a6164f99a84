import { type FunctionName, serviceOf } from '../../model/work/settings.ts';
import { getAtt, type Properties, type Resources, ref, sub, type Value, when } from '../cloudformation.ts';

type Metric = Properties & { readonly MetricName: string };

interface Alarm {
  readonly says: string;
  readonly metric: Metric;
  readonly Statistic?: 'Maximum' | 'Average';
  /** Seconds. Default: 60. */
  readonly Period?: number;
  readonly above?: number;
  /** How many of how many periods. Default: 1 of 1. */
  readonly periods?: readonly [number, number];
  /** A function that runs by a schedule; there is no alarm while it is off. */
  readonly runsIf?: string;
  readonly TreatMissingData?: 'ignore' | 'breaching';
}

/** One metric each: an alarm's name says which function it watches, and CloudWatch charges for metrics. */
function alarm(id: string, { says, metric, periods = [1, 1], runsIf, ...settings }: Alarm): Resources {
  const { Statistic = 'Sum', Period = 60, above = 0, TreatMissingData = 'notBreaching' } = settings;
  const [DatapointsToAlarm, EvaluationPeriods] = periods;
  const actions = when('HasAlarmTopic', [ref('AlarmTopicArn')]);
  return {
    [`${id}Alarm`]: {
      Type: 'AWS::CloudWatch::Alarm',
      Condition: runsIf,
      Properties: {
        AlarmDescription: sub(`[\${Stage}] ${says}`),
        ...metric,
        Statistic,
        Period,
        ComparisonOperator: 'GreaterThanThreshold',
        Threshold: above,
        EvaluationPeriods,
        DatapointsToAlarm,
        TreatMissingData,
        AlarmActions: actions,
        OKActions: actions,
      },
    },
  };
}

/** Metrics of what a dimension names. */
const metrics =
  <Id extends string>(Namespace: Value, dimension: string, of: (id: Id) => Value) =>
  (id: Id, MetricName: string): Metric => ({
    Namespace,
    MetricName,
    Dimensions: [{ Name: dimension, Value: of(id) }],
  });
const own = metrics(sub(`denorm/\${AWS::StackName}`), 'service', serviceOf);
const ofFunction = metrics<FunctionName>('AWS/Lambda', 'FunctionName', ref);
const ofMapping = metrics('AWS/Lambda', 'EventSourceMappingUUID', (name: FunctionName) =>
  ref(`${name}Stream`),
);
const ofQueue = metrics('AWS/SQS', 'QueueName', (id) => getAtt(id, 'QueueName'));

const ofPropagation = (name: FunctionName) => ({
  ...alarm(`${name}Failures`, {
    says: `${name} has more than one failed piece of work in ten successful invocations`,
    metric: own(name, 'RequestsFailed'),
    // Each invocation publishes one value, zero included: their average is a rate.
    Statistic: 'Average',
    above: 0.1,
    periods: [5, 10],
  }),
  ...alarm(`${name}ChecksWriting`, {
    says: `Checks by ${name} keep writing - an application overwrites copies, or two versions of a rule run side by side`,
    metric: own(name, 'CopiesCorrectedByCheck'),
    above: 600,
    periods: [10, 15],
  }),
});

const ofStream = (name: FunctionName) => ({
  ...alarm(`${name}IteratorAge`, {
    says: `${name} is minutes behind the stream of the table`,
    metric: ofFunction(name, 'IteratorAge'),
    // Milliseconds.
    Statistic: 'Maximum',
    above: 300_000,
    periods: [5, 5],
  }),
  ...alarm(`${name}GivenUp`, {
    says: `Lambda gave up records of ${name}, and put them whole into the failure bucket`,
    metric: ofMapping(name, 'OnFailureDestinationDeliveredEventCount'),
  }),
  ...alarm(`${name}Dropped`, {
    says: `Lambda gave up records of ${name} and could not put them into the failure bucket - they are lost`,
    metric: ofMapping(name, 'DroppedEventCount'),
  }),
});

const ofInvoked = (name: FunctionName) => ({
  ...alarm(`${name}Errors`, {
    says: `Invocations of ${name} fail as a whole`,
    metric: ofFunction(name, 'Errors'),
    periods: [3, 5],
  }),
  ...alarm(`${name}Throttles`, {
    says: `Invocations of ${name} are refused for lack of concurrency`,
    metric: ofFunction(name, 'Throttles'),
    periods: [5, 10],
  }),
  ...alarm(`${name}DeadLettered`, {
    says: `${name} dead-lettered an item, a message or a record that no retry can help`,
    metric: own(name, 'DeadLettered'),
  }),
});

/** Of a function that runs at most once an hour: between its runs, its last one counts. */
const scheduledIf = (runsIf: string) => ({ Period: 3600, runsIf, TreatMissingData: 'ignore' as const });

const ofScheduled = (name: FunctionName, runsIf: string, partly: string) => ({
  ...alarm(`${name}RunLost`, {
    says: `A run of ${name} was given up - its invocation failed twice, or found no concurrency for an hour`,
    metric: ofFunction(name, 'AsyncEventsDropped'),
    Period: 3600,
    runsIf,
  }),
  ...alarm(`${name}Errors`, {
    says: `A run of ${name} failed${partly}`,
    metric: ofFunction(name, 'Errors'),
    ...scheduledIf(runsIf),
  }),
});

const ofFanOut = {
  ...alarm('FanOutQueueAge', {
    says: 'A message has waited in the fan-out queue for more than an hour',
    metric: ofQueue('FanOutQueue', 'ApproximateAgeOfOldestMessage'),
    Statistic: 'Maximum',
    above: 3600,
    periods: [5, 5],
  }),
  // The age of the queue leaves out messages that were received three times.
  ...alarm('FanOutPoisonMessage', {
    says: 'FanOut has received a message more than five times - its work fails or times out',
    metric: own('FanOut', 'MessageReceives'),
    // Longer than the six minutes between two receives.
    Statistic: 'Maximum',
    above: 5,
    Period: 900,
  }),
  // What DynamoDB refuses goes back as a new message, which has no age in the queue, at most 15 minutes later.
  ...alarm('FanOutUnavailable', {
    says: 'DynamoDB has refused work for more than an hour, as of a throttled partition - after two days it is dead-lettered',
    metric: own('FanOut', 'UnavailableAge'),
    Statistic: 'Maximum',
    above: 3600,
    // Two of its tries, or one that waited in the queue for as long again.
    Period: 1800,
  }),
  ...alarm('DeadLetters', {
    says: 'The dead-letter queue is not empty',
    metric: ofQueue('DeadLetterQueue', 'ApproximateNumberOfMessagesVisible'),
    Statistic: 'Maximum',
  }),
};

const ofArchive = alarm('ArchiveFailures', {
  says: 'Requests of Archive keep failing - items may expire unarchived',
  metric: own('Archive', 'RequestsFailed'),
  periods: [3, 5],
});

const ofSweep = {
  ...alarm('SweepUnfinished', {
    says: 'A pass of Sweep has not finished for a week',
    metric: own('Sweep', 'SweepPassAge'),
    Statistic: 'Maximum',
    above: 7 * 24 * 3600,
    ...scheduledIf('Sweeps'),
  }),
  ...alarm('SweepUnclassified', {
    says: 'Sweep left items alone that cannot hold an expiry, or whose age it cannot tell',
    metric: own('Sweep', 'ItemsUnclassified'),
    ...scheduledIf('Sweeps'),
  }),
};

const ofVerify = alarm('DriftFound', {
  says: 'Verify found copies that differ from their root',
  metric: own('Verify', 'DriftFound'),
  ...scheduledIf('Verifies'),
});

const ofHeartbeat = {
  ...alarm('HeartbeatOverdue', {
    says: 'A beat has been due for more than ten minutes, or Heartbeat does not run - changes may be lost',
    metric: own('Heartbeat', 'BeatOverdue'),
    Statistic: 'Maximum',
    // Twice as long as from one run to the next.
    Period: 600,
    above: 600,
    runsIf: 'Beats',
    TreatMissingData: 'breaching',
  }),
  ...alarm('HeartbeatLost', {
    says: 'A beat did not arrive though a later one did - what was on the same way is lost, too',
    metric: own('Heartbeat', 'BeatsLost'),
    Period: 600,
    runsIf: 'Beats',
  }),
  ...alarm('RulePaused', {
    says: 'A rule has been paused for more than a day',
    metric: own('Heartbeat', 'PauseAge'),
    Statistic: 'Maximum',
    Period: 600,
    above: 24 * 3600,
    runsIf: 'Beats',
  }),
};

const alarmsOf: Readonly<Record<FunctionName, Resources>> = {
  Propagate: { ...ofStream('Propagate'), ...ofInvoked('Propagate'), ...ofPropagation('Propagate') },
  Archive: { ...ofStream('Archive'), ...ofInvoked('Archive'), ...ofArchive },
  FanOut: { ...ofInvoked('FanOut'), ...ofPropagation('FanOut'), ...ofFanOut },
  Sweep: { ...ofScheduled('Sweep', 'Sweeps', ', at least in part'), ...ofSweep },
  Verify: { ...ofScheduled('Verify', 'Verifies', ''), ...ofVerify },
  Heartbeat: ofHeartbeat,
};

export function alarms(functions: readonly FunctionName[]): Resources {
  return Object.assign({}, ...functions.map((name) => alarmsOf[name]));
}
