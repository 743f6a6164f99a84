import { type Command, Option } from 'commander';
import type { Retrieving } from '../../operate/archive/retrieval.ts';
import { countOption } from '../options/option-values.ts';
import { counted } from '../output/text.ts';

export function withRetrieval(command: Command): Command {
  return command
    .addOption(
      new Option('--tier <tier>', 'retrieval tier for Glacier: faster tiers cost more')
        .default('Standard')
        .choices(['Expedited', 'Standard', 'Bulk']),
    )
    .option('--days <number>', 'days for which a retrieved object stays readable', countOption, 1);
}

export function requestedText(storageClass: string, { tier, days }: Retrieving): string {
  const until = `for ${counted(days, 'day')}`;
  return `${storageClass} by the tier ${tier}, readable ${until} then; docs/archive.md#glacier says how long it takes. Run the same command again`;
}
