import { describe, expect, it } from 'vitest';
import { cloud } from './here.ts';
import { deploy } from './stack.ts';

describe('the template refuses, before any resource is created,', () => {
  it.each([
    ['a number beyond its limit', { PageLimit: '1001' }],
    ['a value that is none of those allowed', { ArchiveStorageClass: 'TAPE' }],
    ['a text of another pattern', { Stage: 'Prod' }],
    ['a sweep without the archive', { SweepEnabled: 'true', ArchiveEnabled: 'false' }],
    ["two readers of a global table's replica", { GlobalTableReplica: 'true' }],
  ])('%s', async (_, parameters) => {
    await expect(deploy(cloud, 'denorm-refused', parameters)).rejects.toThrow(
      /PageLimit|ArchiveStorageClass|Stage|SweepEnabled|GlobalTableReplica/,
    );
  });
});
