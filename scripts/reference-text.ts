import config from '../denorm.config.ts';
import { isProperties, type Properties, type Value } from '../src/deploy/cloudformation.ts';
import { stackModel } from '../src/deploy/stack-model.ts';
import { type FunctionName, functionNames } from '../src/model/work/settings.ts';
import { metricNames } from '../src/worker/lambda/telemetry.ts';

const { Parameters, Resources } = stackModel(config.registry({ disabled: [] }), config);

/** docs/reference.md: what follows from the code, for this repository's rules. */
export function referenceText(): string {
  return `${[
    '# Reference',
    'Parameters, permissions and metrics of a stack with the rules of this repository. Written by `node bin/node-24.mjs scripts/reference.ts`.',
    ...section('Parameters of a stack', [
      'In brackets: the default, then the allowed values.\n',
      ...parameters(),
    ]),
    ...section('Permissions', [
      'Each function also writes to its log group, and uses [keys of your own](deploy.md#deploy-beside-an-existing-table).\n',
      ...functionNames.map(permissions),
    ]),
    ...section('Metrics', [
      `In the namespace \`denorm/<stack>\`, by the dimension \`service\`: ${Object.values(metricNames).toSorted().map(code).join(', ')}. All are counts, except \`ChangeAge\` and \`MessageWait\` in milliseconds, \`SweepPassAge\`, \`BeatOverdue\`, \`BeatRoundTrip\` and \`PauseAge\` in seconds and \`FanOutPace\` in write units a second. \`MessageWait\` has the dimension \`rule\` too: a value for each message that FanOut receives. Their sum over some time, divided by it, is about how many of a rule's messages were in the queue.`,
    ]),
  ].join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return [`## ${title}`, lines.join('\n')];
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Those of the application are the project's own. */
function parameters(): string[] {
  const own = Object.keys(config.parameters);
  return Object.entries(Parameters)
    .filter(([name]) => !own.includes(name))
    .map(([name, { Default, AllowedValues, MinValue, MaxValue, Description }]) => {
      const isSwitch = AllowedValues?.join() === 'true,false';
      const range = MinValue === undefined ? undefined : `${MinValue} to ${MaxValue}`;
      const [first, second, ...more] = AllowedValues ?? [];
      const shown = more.length > 8 ? [first, second, '…', more.at(-1)] : AllowedValues;
      const values = isSwitch ? undefined : (shown?.join(', ') ?? range);
      const preset = Default === '' ? 'empty' : Default;
      return `- ${code(name)} (${preset}${values === undefined ? '' : `; ${values}`}): ${Description}`;
    });
}

function permissions(name: FunctionName): string {
  const role = Resources[`${name}Role`]?.Properties['Policies'];
  const statements = [role].flat().flatMap((policy) => statementsIn(policy));
  const allowed = statements.flatMap(({ Action, Resource }) => {
    const actions = [Action].flat().map(String);
    if (actions.some((one) => /^(logs|kms):/.test(one))) return [];
    const resource = [...new Set([Resource].flat().map(resourceName))].join(', ');
    return actions.map((one) => ({ action: one.replace(/^[a-z0-9]+:/, ''), resource }));
  });
  const texts = [...Map.groupBy(allowed, ({ resource }) => resource)].map(
    ([resource, some]) => `${[...new Set(some.map(({ action }) => action))].join(', ')} on ${resource}`,
  );
  return `- ${code(name)}: ${texts.join('; ')}`;
}

/** The statements of a policy, also of one that is there under a condition. */
function statementsIn(value: Value): Properties[] {
  if (Array.isArray(value)) return value.flatMap(statementsIn);
  if (!isProperties(value)) return [];
  return 'Sid' in value ? [value] : Object.values(value).flatMap(statementsIn);
}

function resourceName(resource: Value): string {
  const text = JSON.stringify(resource);
  const [, bucket, path = ''] = /\{(\w+)\.Arn\}(\/[^"]*)?"/.exec(text) ?? [];
  if (bucket !== undefined) return `${bucket}${path}`;
  if (/stream/i.test(text)) return 'the stream';
  const [, id] = /"(?:Fn::GetAtt":\["|Ref":")(\w+)/.exec(text) ?? [];
  return id === undefined || /MakesTable/.test(text) ? 'the table' : id;
}
