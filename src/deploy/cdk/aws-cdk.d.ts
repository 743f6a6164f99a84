/**
 * What the construct uses of CDK, so that its types are checked without it: CDK is a hundred megabytes, and a peer. The suite
 * `cdk` checks the construct with CDK's own types.
 */
declare module 'constructs' {
  export class Construct {
    readonly node: { readonly path: string };
    constructor(scope: Construct, id: string);
  }
}

declare module 'aws-cdk-lib' {
  import type { Construct } from 'constructs';

  export enum AssetHashType {
    OUTPUT = 'output',
  }
  export class DockerImage {
    static fromRegistry(image: string): DockerImage;
    readonly image: string;
  }
  export const Token: { isUnresolved(value: unknown): boolean };
  export class CfnResource extends Construct {}
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
