import { DenormError } from '../../../model/errors.ts';
import type { ItemKey } from '../../../model/item.ts';
import type { Edit, ItemView } from '../protocol/item.ts';
import type { MetricsView } from '../protocol/metrics.ts';
import type { ProjectView } from '../protocol/project.ts';
import type {
  DeadLettersView,
  FailedBatchesView,
  RedriveOutcomeView,
  VerifyView,
} from '../protocol/trouble.ts';
import type { Journal } from './journal.ts';

/** What a page shows and does. What it cannot know or may not do is undefined, and absent on the page. */
export interface PageSource {
  readonly project: ProjectView;
  readonly journal?: Journal;
  item(key: ItemKey): Promise<ItemView>;
  deadLetters(): Promise<DeadLettersView>;
  failedBatches?(): Promise<FailedBatchesView>;
  metrics?(): Promise<MetricsView>;
  edit?(edit: Edit): Promise<void>;
  redrive?(ids: readonly string[]): Promise<RedriveOutcomeView>;
  verify?(): Promise<VerifyView>;
}

export type PageErrorCode =
  | 'page.not-found'
  | 'page.stranger'
  | 'page.request'
  | 'page.edit'
  | 'page.busy'
  | 'page.no-client';

/** Thrown for a request that the page's server refuses. The message is one sentence. */
export class PageError extends DenormError {
  override readonly name = 'PageError';

  constructor(code: PageErrorCode, message: string, cause?: unknown) {
    super(code, message, cause === undefined ? {} : { cause });
  }
}
