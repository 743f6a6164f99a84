import { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { listCommand } from './list.ts';
import { restoreCommand } from './restore.ts';
import { showCommand } from './show.ts';

/** `denorm archive` */
export function archiveCommand(): Command {
  return new Command('archive')
    .description('What has expired: listed, shown, restored, and proven to be there.')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(restoreCommand())
    .addCommand(auditCommand())
    .addHelpText('after', helpAfter);
}

const helpAfter = `
The archive is that of a --stack, a --bucket, or a folder, --archive-dir, as \`denorm dev\` keeps it in .denorm. Both layouts
are read, and kinds of rules that are no more as well. docs/archive.md tells the whole story.

Examples:
  $ denorm archive list --stack prod-denorm --kind Order
  $ denorm archive show '{"PK":"ORDER#42","SK":"METADATA"}' --stack prod-denorm
  $ denorm archive restore '{"PK":"ORDER#42","SK":"METADATA"}' --stack prod-denorm
  $ denorm archive audit --stack prod-denorm`;
