import { join } from 'node:path';
import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { SynthesisMessageLevel } from 'aws-cdk-lib/cx-api';
import { Denormalizer, type DenormalizerProps } from 'stream-denormalizer/cdk';
import * as z from 'zod';
import config from '../../denorm.config.ts';
import { projectFolder } from '../../scripts/python-tools.ts';
import { resourceSchema } from '../template/expanded-template.ts';

const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema.extend({ Metadata: z.unknown().optional() })),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
  Conditions: z.undefined().optional(),
});

/** What CDK writes for a stack with this project's rules. @throws Error with the stack's errors, by which `cdk synth` ends */
export function synthesized(
  name: string,
  make: (stack: Stack) => Omit<DenormalizerProps, 'config'>,
  change: (made: Denormalizer) => void = () => {},
) {
  const app = new App();
  const stack = new Stack(app, name, {
    // Those of the emulator, which has not been bootstrapped.
    env: { account: '000000000000', region: 'us-east-1' },
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
  });
  const handlers = join(projectFolder, 'handlers');
  change(new Denormalizer(stack, 'Denorm', { config, handlers, ...make(stack) }));
  const assembly = app.synth();
  const { template, templateFullPath, messages } = assembly.getStackByName(name);
  const errors = messages.filter(({ level }) => level === SynthesisMessageLevel.ERROR);
  if (errors.length > 0) throw new Error(errors.map(({ entry }) => `${entry.data}`).join('\n'));
  return { ...templateSchema.parse(template), folder: assembly.directory, file: templateFullPath };
}

const codeSchema = z.object({ Code: z.object({ S3Bucket: z.string(), S3Key: z.string() }) });

/** Where CDK looks for a function's code, and the folder that it is to have put there. */
export function codeOf({ Properties }: { readonly Properties: unknown }, folder: string) {
  const { S3Bucket, S3Key } = codeSchema.parse(Properties).Code;
  return { S3Bucket, S3Key, path: join(folder, `asset.${S3Key.replace(/\.zip$/, '')}`) };
}
