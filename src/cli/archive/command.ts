import type { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { listCommand } from './list.ts';
import { restoreCommand } from './restore.ts';
import { showCommand } from './show.ts';

export function archiveCommand(command: Command): Command {
  return command
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(restoreCommand())
    .addCommand(auditCommand())
    .addHelpText('after', helpAfter);
}

const helpAfter = `
The archive is that of --stack, a --bucket, or a folder of \`denorm dev\` (--state-dir). These commands read both
layouts, and also kinds whose rules were removed. Examples and permissions: docs/archive.md.`;
