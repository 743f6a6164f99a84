import { localRegion } from '../../develop/dev/loopback.ts';
import type { Registry } from '../../model/registry.ts';
import { styled } from '../output/terminal.ts';
import { counted } from '../output/text.ts';

export interface Started {
  readonly registry: Registry;
  readonly endpoint: string;
  readonly table: string;
  readonly worker: boolean;
}

/** What runs, how an application or a command in another terminal reaches it, and how it ends. */
export function welcome({
  registry: { rules, aggregates, archives },
  endpoint,
  table,
  worker,
}: Started): string {
  const counts = [
    ...(rules.length === 0 ? [] : [counted(rules.length, 'rule')]),
    ...(aggregates.length === 0 ? [] : [counted(aggregates.length, 'aggregate')]),
    ...(archives.length === 0 ? [] : [counted(archives.length, 'archive rule')]),
  ];
  const what = counts.join(', ') || 'no rules';
  return `
${worker ? `${what} of denorm.config.ts at work on table ${table}` : `no worker: ${what} of denorm.config.ts wait for functions that you invoke on table ${table}`}
for an application, AWS CLI or denorm in another terminal:

  export AWS_ENDPOINT_URL=${endpoint} AWS_REGION=${localRegion} AWS_DEFAULT_REGION=${localRegion} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local

${styled('dim', 'Ctrl-C ends')}
`;
}
