import type { ChangeView, News, RuleCounts, Second } from '../protocol/changes.ts';
import type { ProjectView } from '../protocol/project.ts';

/** Changes that the page keeps; the server keeps as many. */
const maxChanges = 500;

/** Seconds that the page keeps. */
const maxSeconds = 300;

/** What the page knows, from the news so far. Nothing is stored: it is gone with the page. */
export class PageState {
  readonly project: ProjectView;
  readonly changes = new Map<number, ChangeView>();
  readonly seconds = new Map<number, Second>();
  rules: Readonly<Record<string, RuleCounts>> = {};
  total = 0;
  /** The filters of the list of changes, and what it shows while it is paused: it is as it was when one comes back to it. */
  readonly list: { rule: string; key: string; frozen: readonly ChangeView[] | undefined } = {
    ...{ rule: '', key: '', frozen: undefined },
  };
  private readonly listeners = new Set<() => void>();
  private isDue = false;

  constructor(project: ProjectView) {
    this.project = project;
  }

  take(news: News): void {
    for (const change of news.changes) this.changes.set(change.id, change);
    for (const second of news.seconds) this.seconds.set(second.at, second);
    for (const id of [...this.changes.keys()].slice(0, -maxChanges)) this.changes.delete(id);
    for (const at of [...this.seconds.keys()].slice(0, -maxSeconds)) this.seconds.delete(at);
    this.rules = news.rules;
    this.total = news.total;
    this.announce();
  }

  /** Newest first. */
  newest(): readonly ChangeView[] {
    return [...this.changes.values()].sort((a, b) => b.id - a.id);
  }

  /** @returns stops listening */
  onNews(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** At most once a frame, and not at all while the page is hidden: however fast news comes, the page stays usable. */
  private announce(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      for (const listener of this.listeners) listener();
    });
  }
}
