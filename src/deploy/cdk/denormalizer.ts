import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Annotations, Aspects, AssetHashType, CfnResource, DockerImage, Stack, Token } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct, type IConstruct } from 'constructs';
import { buildSync } from 'esbuild';
import type * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';
import { wrongExpiry } from '../../model/items/expiry.ts';
import { describedTable, tableDifferences } from '../../model/items/table-differences.ts';
import type { Config } from '../../model/rules/config.ts';
import { type FunctionName, functionNames } from '../../model/work/settings.ts';
import { ref } from '../cloudformation.ts';
import { type PlainStack, plainStack } from '../plain-stack.ts';
import { bundleOptions } from '../resources/functions.ts';
import { tableSchema } from '../stack-settings.ts';

export interface DenormalizerProps {
  /** What denorm.config.ts exports. */
  readonly config: Config;
  /** A `Table`, a `TableV2`, or an imported one with its `tableStreamArn`. The stream holds new and old images. */
  readonly table: {
    readonly tableName: string;
    readonly tableStreamArn?: string | undefined;
    readonly encryptionKey?: { readonly keyArn: string } | undefined;
  };
  /** Receives alarms, such as a `Topic`. Default: nobody does. */
  readonly alarms?: { readonly topicArn: string };
  /** Values of the parameters in template.yaml, those of the config among them. Default: their own. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** The folder of the functions' entry points. Default: `handlers` in the working folder. */
  readonly handlers?: string;
}

/**
 * The functions with queues, buckets, roles and alarms, as template.yaml has them. Logical ids and outputs are the same, so
 * that commands find them by `--stack`: a stack has one. What it refuses is an error of the stack (an annotation), by which
 * `cdk synth` and `cdk deploy` end: the rules and parameters that `denorm template` refuses, a missing handler, and a table of the
 * same app that is not as the rules need it.
 */
export class Denormalizer extends Construct {
  readonly #template: CfnInclude | DenormError;

  constructor(scope: Construct, id: string, props: DenormalizerProps) {
    super(scope, id);
    this.#template = madeOrRefused(() => templateIn(this, props));
    if (this.#template instanceof DenormError) Annotations.of(this).addError(this.#template.message);
    // A table may still get indexes after this construct is made.
    const visit = (node: IConstruct) => {
      if (node !== this) return;
      for (const refusal of tableRefusals(props, this.node.path)) Annotations.of(this).addError(refusal);
    };
    Aspects.of(this).add({ visit });
  }

  /**
   * For what has no parameter: `template.getResource('Propagate')` is a `CfnFunction`.
   * @throws DenormError if it was refused
   */
  get template(): CfnInclude {
    if (this.#template instanceof DenormError) throw this.#template;
    return this.#template;
  }
}

function madeOrRefused(make: () => CfnInclude): CfnInclude | DenormError {
  try {
    return make();
  } catch (error) {
    if (error instanceof DenormError) return error;
    throw error;
  }
}

function templateIn(scope: Construct, props: DenormalizerProps): CfnInclude {
  const { config, table, alarms, parameters, handlers = 'handlers' } = props;
  if (table.tableStreamArn === undefined) throw new DenormError('cdk.no-stream', noStream(scope.node.path));
  const given = {
    ExistingTableName: table.tableName,
    ExistingTableStreamArn: table.tableStreamArn,
    ...(table.encryptionKey !== undefined && { TableKmsKeyArn: table.encryptionKey.keyArn }),
    ...(alarms !== undefined && { AlarmTopicArn: alarms.topicArn }),
    ...parameters,
  };
  const unknown = Object.entries(given).filter(([, value]) => Token.isUnresolved(value));
  const stack = plainStack(config, given, new Set(unknown.map(([name]) => name)));
  const codes = functionNames
    .filter((name) => name in stack.Resources)
    .map((name) => [name, bundle(scope, name, resolve(handlers))] as const);
  const template = included(scope, stack, new Map<string, Asset>(codes), Object.fromEntries(unknown));
  for (const [name, code] of codes) code.addResourceMetadata(template.getResource(name), 'Code');
  return template;
}

/** @param later values that only a deployment knows, by the parameters that stand for them in the template */
function included(
  scope: Construct,
  { Resources, Outputs }: PlainStack,
  codes: ReadonlyMap<string, Asset>,
  later: Readonly<Record<string, unknown>>,
): CfnInclude {
  const parameters = { ...later };
  const resources = Object.entries(Resources).map(([name, resource]) => {
    const code = codes.get(name);
    if (code === undefined) return [name, resource] as const;
    const [bucket, key] = [`${name}CodeBucket`, `${name}CodeKey`];
    Object.assign(parameters, { [bucket]: code.s3BucketName, [key]: code.s3ObjectKey });
    const Code = { S3Bucket: ref(bucket), S3Key: ref(key) };
    return [name, { ...resource, Properties: { ...resource.Properties, Code } }] as const;
  });
  const Parameters = Object.fromEntries(Object.keys(parameters).map((name) => [name, { Type: 'String' }]));
  const template = { Parameters, Resources: Object.fromEntries(resources), Outputs };
  const folder = mkdtempSync(join(tmpdir(), 'denorm-cdk-'));
  try {
    const templateFile = join(folder, 'template.json');
    writeFileSync(templateFile, JSON.stringify(template));
    return new CfnInclude(scope, 'Template', { templateFile, parameters });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bundle(scope: Construct, name: FunctionName, handlers: string): Asset {
  const { outfile, ...options } = bundleOptions(name, handlers);
  return new Asset(scope, `${name}Code`, {
    path: handlers,
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never run: esbuild is here. CDK keeps bundles by image, command and path, so the command tells functions apart.
      image: DockerImage.fromRegistry('none'),
      command: [name],
      local: {
        tryBundle(folder: string) {
          buildSync({ ...options, outfile: join(folder, outfile) });
          return true;
        },
      },
    },
  });
}

/** What CloudFormation calls the properties that matter here. */
const propertiesSchema = tableSchema.partial({ StreamSpecification: true });

export const noStream = (path: string): string =>
  `Expected the table of ${path} to have a stream, found none: give it one with new and old images, or import it by Table.fromTableAttributes with tableStreamArn`;

/** A sentence about each way in which a table of the same app is not as the rules need it. Of an imported table nothing is known. */
export function* tableRefusals(
  { config, table }: { readonly config: Pick<Config, 'table'>; readonly table: object },
  path: string,
): Generator<string> {
  const found = propertiesOf(table);
  if (found === undefined) return;
  const differences = tableDifferences(describedTable(config.table), found);
  const view = found.StreamSpecification?.StreamViewType;
  if (differences.length > 0)
    yield `Expected the table of ${path} to have the keys and indexes that src/table.ts names, found others (${differences.join('; ')}): correct the table or the names`;
  if (view === undefined) yield noStream(path);
  else if (view !== 'NEW_AND_OLD_IMAGES')
    yield `Expected the stream of the table of ${path} to hold new and old images, found ${view}: set it to NEW_AND_OLD_IMAGES`;
  const expiry = found.TimeToLiveSpecification?.AttributeName;
  const wrong = wrongExpiry(config.table, `the table of ${path}`, expiry);
  if (wrong !== undefined) yield wrong;
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
