import { CfnResource, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import * as z from 'zod';
import { keyDifferences } from '../../model/items/table-differences.ts';
import type { Config } from '../../model/rules/config.ts';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));

/** What CloudFormation calls the properties that matter here. */
const propertiesSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({ ProjectionType: z.string() }),
      }),
    )
    .optional(),
  StreamSpecification: z.object({ StreamViewType: z.string() }).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string() }).optional(),
});

interface Tables {
  readonly config: Pick<Config, 'table'>;
  readonly table: object;
}

export const noStream = (path: string): string =>
  `Expected the table of ${path} to have a stream, found none: give it one with new and old images, or import it by Table.fromTableAttributes with tableStreamArn`;

/** A sentence about each way in which a table of the same app is not as the rules need it. Of an imported table nothing is known. */
export function tableRefusals({ config, table }: Tables, path: string): readonly string[] {
  const found = propertiesOf(table);
  if (found === undefined) return [];
  const { StreamSpecification, TimeToLiveSpecification } = found;
  const differences = keyDifferences(config.table, found);
  const view = StreamSpecification?.StreamViewType;
  const expiry = TimeToLiveSpecification?.AttributeName ?? config.table.ttl;
  return [
    ...(differences.length === 0
      ? []
      : [
          `Expected the table of ${path} to have the keys and indexes that src/table.ts names, found others (${differences.join('; ')}): correct the table or the names`,
        ]),
    ...(view === undefined ? [noStream(path)] : []),
    ...(view === undefined || view === 'NEW_AND_OLD_IMAGES'
      ? []
      : [
          `Expected the stream of the table of ${path} to hold new and old images, found ${view}: set it to NEW_AND_OLD_IMAGES`,
        ]),
    ...(expiry === config.table.ttl
      ? []
      : [
          `Expected the items of the table of ${path} to expire by ${config.table.ttl}, found ${expiry}: correct the table, or ttl in src/table.ts, or items expire without being archived`,
        ]),
  ];
}

const tableTypes = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'];

/** Undefined if the table is made elsewhere, or only a deployment knows its properties. */
function propertiesOf(table: object): z.infer<typeof propertiesSchema> | undefined {
  const resource = Construct.isConstruct(table) ? table.node.defaultChild : undefined;
  if (!CfnResource.isCfnResource(resource) || !tableTypes.includes(resource.cfnResourceType))
    return undefined;
  // CDK's own names begin with a small letter, and may stand for values that are known at the end only.
  const properties = Object.keys(propertiesSchema.shape).map((name) => [
    name,
    Reflect.get(resource, `${name.charAt(0).toLowerCase()}${name.slice(1)}`),
  ]);
  const resolved = JSON.stringify(Stack.of(resource).resolve(Object.fromEntries(properties)));
  return propertiesSchema.safeParse(JSON.parse(resolved, withCapitals)).data;
}

function withCapitals(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, one]),
  );
}
