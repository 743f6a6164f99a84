import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projectFolder } from '../scripts/python-tools.ts';
import { testFiles } from './test-files.ts';
import { everySuite, resolve } from './vitest-settings.ts';

const minute = 60_000;
/** Their tests wait for programs that they have started. A machine that is busy with other work takes its time. */
const longer = {
  maxWorkers: Math.max(3, availableParallelism()),
  testTimeout: 3 * minute,
  hookTimeout: 3 * minute,
};

/** Starts the files in the order of their list; Vitest's is that of their sizes. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      testFiles.long.findIndex((path) => moduleId.endsWith(path));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

/** What takes too long for `npm test`, or needs more than npm: `npm run suite <name>`. */
const suites = {
  /** Programs, started as a user would, wherever they are. */
  cli: { ...longer, include: testFiles.commands },
  /** What takes long by itself, such as a thousand seeds. */
  long: { ...longer, include: testFiles.long, sequence: { sequencer: AsListed } },
  /** The page of `denorm dev` in Debian's chromium, which takes a core to itself. */
  page: { ...longer, include: ['test/browser/*.test.ts'], maxWorkers: 1 },
  template: {
    include: ['test/template/**/*.test.ts'],
    ...{ maxWorkers: 2, testTimeout: 2 * minute, hookTimeout: 4 * minute },
  },
  /** CDK is installed beside the project: see test/cdk/cdk.setup.ts. */
  cdk: {
    include: ['test/cdk/*.test.ts'],
    globalSetup: ['test/cdk/cdk.setup.ts'],
    alias: [
      {
        find: /^(aws-cdk-lib|constructs)(?=$|\/)/,
        replacement: join(projectFolder, '.aws-sam/cdk/node_modules/$1'),
      },
    ],
    ...{ fileParallelism: false, testTimeout: 4 * minute, hookTimeout: 4 * minute },
  },
  /** With the Terraform of the machine, if it has one. */
  terraform: {
    include: ['test/terraform/*.test.ts'],
    ...{ fileParallelism: false, testTimeout: 5 * minute, hookTimeout: 2 * minute },
  },
  /** They are installed as CDK is: see test/libraries/libraries.setup.ts. */
  libraries: {
    include: ['test/libraries/*.test.ts'],
    globalSetup: ['test/libraries/libraries.setup.ts'],
    alias: [
      {
        find: /^(electrodb|dynamodb-toolbox|dynamodb-onetable)$/,
        replacement: join(projectFolder, '.aws-sam/libraries/node_modules/$1'),
      },
    ],
    ...{ maxWorkers: 2, testTimeout: 2 * minute, hookTimeout: 2 * minute },
  },
  /** DynamoDB as others have built it: MiniStack and moto. */
  servers: {
    include: ['test/servers/*.test.ts'],
    ...{ maxWorkers: 2, testTimeout: minute, hookTimeout: 2 * minute },
  },
  operations: {
    include: ['test/operations/*.operations.ts'],
    ...{ maxWorkers: 2, testTimeout: 15 * minute, hookTimeout: 10 * minute },
  },
  archive: {
    include: ['test/archive-proofs/*.proof.ts'],
    ...{ maxWorkers: 2, testTimeout: 30 * minute, hookTimeout: 2 * minute },
  },
  /** One emulator serves all files: beside one another they would only wait for it. */
  deployed: {
    include: ['test/deployed/**/*.test.ts'],
    globalSetup: ['test/deployed/deployed-stack.setup.ts'],
    ...{ fileParallelism: false, testTimeout: 2 * minute, hookTimeout: 4 * minute },
  },
  package: {
    include: ['test/package/*.test.ts'],
    globalSetup: ['test/package/packed.setup.ts'],
    ...{ fileParallelism: false, testTimeout: 5 * minute, hookTimeout: 10 * minute },
  },
  /** `npm run test:sam-local` starts a container engine for it first. */
  'sam-local': {
    include: ['test/sam-local/**/*.proof.ts'],
    ...{ fileParallelism: false, testTimeout: 2 * minute, hookTimeout: 5 * minute },
  },
};

export const suiteNames = Object.keys(suites);

export default defineConfig(({ mode }) => {
  const suite = Object.entries(suites).find(([name]) => name === mode)?.[1];
  if (suite === undefined)
    throw new Error(`Expected one of the suites ${suiteNames.join(', ')}, got ${mode}`);
  // Processes, not threads: tests start servers, and signals and exit codes are per process.
  return { root: projectFolder, resolve, test: { ...everySuite, pool: 'forks', ...suite } };
});
