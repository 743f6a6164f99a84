import {
  functionOf,
  isMap,
  isProperties,
  listOf,
  membersOf,
  type Properties,
  type Resource,
  ref,
  toJson,
  type Value,
  when,
} from '../cloudformation.ts';
import { eachMember, type Json, type Written } from './expressions.ts';

/** Types that do not have the same words. */
const types: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'aws_cloudwatch_metric_alarm',
  'AWS::CloudWatch::Dashboard': 'aws_cloudwatch_dashboard',
  'AWS::Events::Rule': 'aws_cloudwatch_event_rule',
  'AWS::Lambda::EventInvokeConfig': 'aws_lambda_function_event_invoke_config',
  'AWS::Logs::LogGroup': 'aws_cloudwatch_log_group',
};

/** The argument for a name that CloudFormation makes. */
const naming: Readonly<Record<string, string>> = {
  aws_cloudwatch_event_rule: 'name',
  aws_cloudwatch_metric_alarm: 'alarm_name',
  aws_sqs_queue: 'name',
  aws_iam_role: 'name_prefix',
  aws_lambda_function: 'function_name',
  aws_s3_bucket: 'bucket_prefix',
};

const typeOf = ({ Type }: Resource) => types[Type] ?? snakeCase(Type.replaceAll('::', '_'));

/** An attribute of a resource, or what `Ref` names of it, as an expression. */
export function attributeOf(id: string, resource: Resource, attribute?: string): string {
  const all = `${typeOf(resource)}.${id}`;
  const argument = attribute === undefined ? 'id' : attribute === 'QueueName' ? 'name' : 'arn';
  // What is there under a condition is a list of one or none.
  const name = resource.Condition === undefined ? `${all}.${argument}` : `join("", ${all}[*].${argument})`;
  // CloudFormation's ARN of a group of logs covers what is in it.
  return argument === 'arn' && resource.Type === 'AWS::Logs::LogGroup' ? `"\${${name}}:*"` : name;
}

/** Names that are not the same in lower case, with underscores. */
const renamed: Readonly<Record<string, string>> = {
  AssumeRolePolicyDocument: 'assume_role_policy',
  PolicyDocument: 'policy',
  Queues: 'queue_url',
  Destination: 'destination_arn',
  Filters: 'filter',
  LogGroupName: 'name',
  QueueName: 'name',
  MessageRetentionPeriod: 'message_retention_seconds',
  VisibilityTimeout: 'visibility_timeout_seconds',
  Rules: 'rule',
  ServerSideEncryptionByDefault: 'apply_server_side_encryption_by_default',
};

/** Values that Terraform takes in another form. */
const reformed: Readonly<Record<string, (value: Value) => Value>> = {
  AssumeRolePolicyDocument: toJson,
  PolicyDocument: toJson,
  RedrivePolicy: toJson,
  RedriveAllowPolicy: toJson,
  Environment: (value) => ({ variables: membersOf(value)['Variables'] }),
  Queues: (value) => listOf(value)[0],
  Dimensions: (value) => pairs(value, 'Name'),
  Tags: (value) => pairs(value, 'Key'),
  // A queue with a key of its own must not even say that it has none of SQS.
  SqsManagedSseEnabled: () => when('HasStackKey', undefined, true),
};

/** Properties by their names in Terraform. */
export function argumentsOf(properties: Properties): Properties {
  const members = Object.entries(properties).map(([name, value]) => [
    renamed[name] ?? snakeCase(name),
    (reformed[name] ?? nested)(value),
  ]);
  return Object.fromEntries(members);
}

function nested(value: Value): Value {
  if (Array.isArray(value)) return value.map(nested);
  if (!isProperties(value)) return value;
  const [called, operand] = functionOf(value) ?? [];
  if (called === undefined) return argumentsOf(value);
  const [condition, a, b] = listOf(operand);
  if (called !== 'If' || !isMap(a) || !isMap(b)) return value;
  // A block is not one or another by a condition, but each of its arguments may be.
  const either = Object.keys({ ...a, ...b }).map((name) => [name, when(String(condition), a[name], b[name])]);
  return argumentsOf(Object.fromEntries(either));
}

/** What Terraform makes of a resource, by type, all under its logical id. */
export function partsOf(
  id: string,
  resource: Resource,
  write: Written,
): Readonly<Record<string, Readonly<Record<string, Json>>>> {
  const { Type, Properties } = resource;
  const type = typeOf(resource);
  const named = naming[type];
  // Something random follows a prefix, which may have 37 letters.
  const name = named?.endsWith('_prefix')
    ? `\${substr(lower("\${var.StackName}-${id}-"), 0, 37)}`
    : `\${var.StackName}-${id}`;
  const written = (properties: Properties) => eachMember(argumentsOf(properties), write);
  const own = (properties: Properties) => ({
    ...(named !== undefined && { [named]: name }),
    ...written(properties),
  });

  switch (Type) {
    case 'AWS::Lambda::Function': {
      const { RecursiveLoop, ...settings } = Properties;
      const file = `\${path.module}/${String(settings['Handler']).replace(/\..*/, '.zip')}`;
      const code = { filename: file, source_code_hash: `\${filebase64sha256("${file}")}` };
      // A mapping is made after its function, and needs the stream to be readable.
      const depends_on = [`aws_iam_role_policy.${id}Role`];
      return {
        [type]: { ...own(settings), ...code, depends_on },
        ...(RecursiveLoop !== undefined && {
          aws_lambda_function_recursion_config: written({ FunctionName: ref(id), RecursiveLoop }),
        }),
      };
    }
    case 'AWS::IAM::Role': {
      const { Policies, ...role } = Properties;
      const kept = `[for one in local.${id}.Statement : one if one != null]`;
      const policy = `\${jsonencode({Version = "2012-10-17", Statement = ${kept}})}`;
      return {
        [type]: own(role),
        aws_iam_role_policy: { ...written({ Role: ref(id) }), name: 'works-on-the-table', policy },
        locals: { Statement: write(listOf(Policies).flatMap(statementsOf)) },
      };
    }
    case 'AWS::S3::Bucket': {
      const { VersioningConfiguration, LifecycleConfiguration, BucketEncryption, ...others } = Properties;
      const { OwnershipControls, PublicAccessBlockConfiguration, ...bucket } = others;
      const part = (properties: Value) => written({ Bucket: ref(id), ...membersOf(properties) });
      const rules = listOf(membersOf(LifecycleConfiguration)['Rules']).map(lifecycleRule);
      const depends_on = [`aws_s3_bucket_versioning.${id}`];
      return {
        [type]: own(bucket),
        aws_s3_bucket_versioning: part({ VersioningConfiguration }),
        aws_s3_bucket_lifecycle_configuration: { ...part({ Rules: rules }), depends_on },
        aws_s3_bucket_server_side_encryption_configuration: part({
          Rules: membersOf(BucketEncryption)['ServerSideEncryptionConfiguration'],
        }),
        aws_s3_bucket_ownership_controls: part(OwnershipControls),
        aws_s3_bucket_public_access_block: part(PublicAccessBlockConfiguration),
      };
    }
    case 'AWS::Events::Rule': {
      const { Targets, ...rule } = Properties;
      const { Id: TargetId, Arn } = membersOf(listOf(Targets)[0]);
      return { [type]: own(rule), aws_cloudwatch_event_target: written({ Rule: ref(id), TargetId, Arn }) };
    }
    default:
      return { [type]: own(Properties) };
  }
}

/** The statements of a role's policy, each with the condition of the policy, if it has one. */
function statementsOf(policy: Value): readonly Value[] {
  const [condition, conditional] = listOf(membersOf(policy)['Fn::If']);
  const document = membersOf(membersOf(conditional ?? policy)['PolicyDocument']);
  const statements = listOf(document['Statement']);
  return condition === undefined ? statements : statements.map((one) => when(String(condition), one));
}

function lifecycleRule(rule: Value): Properties {
  const { Prefix = '', ExpirationInDays: Days, ...others } = membersOf(rule);
  return { ...others, Filter: { Prefix }, Expiration: Days === undefined ? undefined : { Days } };
}

function pairs(value: Value, key: string): Properties {
  return Object.fromEntries(
    listOf(value)
      .map(membersOf)
      .map((one) => [String(one[key]), one['Value']]),
  );
}

const snakeCase = (name: string) =>
  name.replace(/([A-Z]+)([A-Z][a-z])|([a-z\d])([A-Z])/g, '$1$3_$2$4').toLowerCase();
