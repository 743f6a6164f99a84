import type { ChangeView, News, RuleActivity } from '../protocol/changes.ts';
import type { FailuresView, ProjectView } from '../protocol/views.ts';
import { ask, errorText } from './ask.ts';

/** Changes that the page keeps; the server keeps as many. */
const maxChanges = 500;

/** How often it asks for news: often enough to see a copy arrive, seldom enough to cost nothing. */
const intervalsMs = { live: 200, failed: 1_000 };

interface ListState {
  rule: string;
  key: string;
  /** Whether changes are listed of which the worker only found that a copy was right. */
  idle: boolean;
  /** What the list shows while it is paused. */
  frozen: readonly ChangeView[] | undefined;
}

/** What the page knows. Nothing is stored: it is gone with the page. */
class Store {
  project: ProjectView = {
    table: '',
    where: '',
    ...{ keyNames: { pk: '', sk: '' }, ttl: '', indexes: [] },
    answers: [],
    kinds: [],
    rules: [],
  };
  connection = 'read-only';
  changes: ReadonlyMap<number, ChangeView> = new Map();
  rules: Readonly<Record<string, RuleActivity>> = {};
  total = 0;
  failures: FailuresView | undefined;
  /** It is as it was when one comes back to the list of changes. */
  readonly list: ListState = { rule: '', key: '', idle: false, frozen: undefined };
  private drawNow = () => {};
  private isDue = false;
  /** The version of the last news. */
  heard = '';

  open(project: ProjectView, draw: () => void): void {
    this.project = project;
    this.drawNow = draw;
    if (this.can('GET /api/news')) void this.hear();
    else if (this.can('POST /api/item')) this.connection = 'without a worker';
    draw();
  }

  /** At most once a frame, and not at all while the page is hidden: however fast news comes, the page stays usable. */
  draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }

  can(answer: string): boolean {
    return this.project.answers.includes(answer);
  }

  /** The changes, newest first. */
  newest(): readonly ChangeView[] {
    return [...this.changes.values()].sort((a, b) => b.id - a.id);
  }

  filter(list: Partial<ListState>): void {
    Object.assign(this.list, list);
    this.draw();
  }

  async readFailures(): Promise<void> {
    this.failures = await ask('/api/failures');
    this.draw();
  }

  /** Asks again and again, but not while the page is hidden. */
  private async hear(): Promise<void> {
    this.connection = 'connecting';
    for (;;) {
      const before = this.connection;
      if (!document.hidden) this.connection = await this.askForNews();
      if (this.connection !== before) this.draw();
      if (this.connection.includes('page.stranger')) return;
      const interval = this.connection === 'live' ? intervalsMs.live : intervalsMs.failed;
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }

  private async askForNews(): Promise<string> {
    try {
      const news = await ask<News>(`/api/news?${new URLSearchParams({ after: this.heard })}`);
      // Another start of denorm dev may have other rules.
      if (news.reset && this.heard !== '') location.reload();
      // Rates fall by themselves.
      else if (news.version !== this.heard || JSON.stringify(news.rules) !== JSON.stringify(this.rules))
        this.take(news, this.heard === '');
      this.heard = news.version;
      return 'live';
    } catch (error) {
      return `not connected: ${errorText(error)}`;
    }
  }

  private take({ changes, total, rules }: News, isFirst: boolean): void {
    const all = new Map(this.changes);
    for (const change of changes) all.set(change.id, change);
    for (const id of [...all.keys()].slice(0, -maxChanges)) all.delete(id);
    const hasFailed = Object.entries(rules).some(
      ([rule, { deadLettered }]) => deadLettered > (this.rules[rule]?.deadLettered ?? 0),
    );
    Object.assign(this, { changes: all, total, rules });
    if (isFirst || hasFailed) this.readFailures().catch(() => {});
    this.draw();
  }
}

export const store = new Store();
