/**
 * What the construct uses of CDK, so that its types are checked without it: CDK is a hundred megabytes, and a peer. The suite
 * `cdk` checks the construct with CDK's own types.
 */
declare module 'constructs' {
  export interface IConstruct {
    readonly node: { readonly path: string; readonly defaultChild?: IConstruct | undefined };
  }
  export class Construct implements IConstruct {
    static isConstruct(value: unknown): value is Construct;
    readonly node: IConstruct['node'];
    constructor(scope: Construct, id: string);
  }
}

declare module 'aws-cdk-lib' {
  import type { Construct, IConstruct } from 'constructs';

  export class Annotations {
    static of(scope: IConstruct): Annotations;
    addError(message: string): void;
  }
  export class Aspects {
    static of(scope: IConstruct): Aspects;
    add(aspect: { visit(node: IConstruct): void }): void;
  }
  export enum AssetHashType {
    OUTPUT = 'output',
  }
  export class DockerImage {
    static fromRegistry(image: string): DockerImage;
    readonly image: string;
  }
  export const Token: { isUnresolved(value: unknown): boolean };
  export class CfnResource extends Construct {
    static isCfnResource(construct: unknown): construct is CfnResource;
    readonly cfnResourceType: string;
  }
  export class Stack {
    static of(construct: IConstruct): Stack;
    resolve(value: unknown): unknown;
  }
}

declare module 'aws-cdk-lib/aws-s3-assets' {
  import type { CfnResource } from 'aws-cdk-lib';
  import { Construct } from 'constructs';

  export class Asset extends Construct {
    constructor(scope: Construct, id: string, props: object);
    readonly s3BucketName: string;
    readonly s3ObjectKey: string;
    addResourceMetadata(resource: CfnResource, property: string): void;
  }
}

declare module 'aws-cdk-lib/cloudformation-include' {
  import type { CfnResource } from 'aws-cdk-lib';
  import { Construct } from 'constructs';

  export class CfnInclude extends Construct {
    constructor(scope: Construct, id: string, props: object);
    getResource(logicalId: string): CfnResource;
  }
}
