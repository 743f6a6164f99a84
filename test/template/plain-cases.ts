import type { Resource } from './expanded-template.ts';

/** Values of parameters that turn each condition of the stack the other way. */
export const everySwitch = {
  ...{ Stage: 'prod', ExistingTableName: 'orders', LogRetentionDays: 7, PageLimit: 20 },
  ExistingTableStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/orders/stream/1',
  TableKmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/11111111-1111-1111-1111-111111111111',
  PropagateEnabled: false,
  StackKmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/22222222-2222-2222-2222-222222222222',
  VerifyEnabled: true,
  HeartbeatEnabled: false,
  AlarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
};

/** As a deployment gives them: a flag is a text. */
export function asParameters(given: Readonly<Record<string, string | number | boolean>>) {
  const values = Object.entries(given).map(
    ([name, value]) => [name, typeof value === 'boolean' ? String(value) : value] as const,
  );
  return Object.fromEntries(values);
}

/** Without what SAM adds of its own accord: a tag, an empty setting, and the place of the code. A condition has been decided. */
export function withoutOwnOfSam({ Properties, Condition: _condition, ...resource }: Resource): Resource {
  const { Code: _code, Tags, DestinationConfig, ...others } = Properties;
  const tags = [Tags ?? []].flat().filter((tag) => !JSON.stringify(tag).includes('createdBy'));
  return {
    ...resource,
    Properties: {
      ...others,
      ...(Tags !== undefined && { Tags: tags }),
      ...(JSON.stringify(DestinationConfig ?? {}) !== '{}' && { DestinationConfig }),
    },
  };
}
