import { existsSync } from 'node:fs';
import { describe, test } from 'vitest';
import { pythonTool } from '../../scripts/python-tools.ts';
import { startMiniStack } from '../../src/dev/sam/open-for-containers.ts';
import { describeS3Archive } from '../worker/adapters/s3/s3-endpoint.ts';

// Storage classes, conditions, checksums, versions and Glacier, as an S3 answers that is none of ours.
const program = pythonTool('ministack', 'ministack');
if (existsSync(program)) describeS3Archive('MiniStack', () => startMiniStack(process.env, program));
else
  describe('the archive on MiniStack', () => {
    test('passes the suites of the archive', ({ skip }) =>
      skip('MiniStack is not installed: npm run setup:sam'));
  });
