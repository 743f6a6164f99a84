import { pythonTool } from '../../scripts/python-tools.ts';
import { startMiniStack } from '../../src/dev/sam/open-for-containers.ts';
import { fullTableSuite } from './full-table.suite.ts';

// A quarter of the embedded table's: MiniStack answers slowly, and takes one core for itself.
fullTableSuite(
  () => startMiniStack(process.env, pythonTool('ministack', 'ministack')),
  250,
  ['order-date-on-items'],
  false,
);
