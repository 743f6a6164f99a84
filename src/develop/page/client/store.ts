import type { ChangeView, News, RuleCounts } from '../protocol/changes.ts';
import type { ProjectView } from '../protocol/project.ts';
import type { FailuresView } from '../protocol/trouble.ts';
import { ask } from './ask.ts';

/** Changes that the page keeps; the server keeps as many. */
const maxChanges = 500;

/** Of a connection, by its `readyState`: lost, open, and refused for good. */
const states = ['not connected, trying again', 'live', 'not connected: open the address that denorm prints'];

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
    ...{ table: '', where: '', keyNames: { pk: '', sk: '' }, answers: [], kinds: [], rules: [] },
  };
  connection = 'read-only';
  changes: ReadonlyMap<number, ChangeView> = new Map();
  rules: Readonly<Record<string, RuleCounts>> = {};
  total = 0;
  failures: FailuresView | undefined;
  /** It is as it was when one comes back to the list of changes. */
  readonly list: ListState = { rule: '', key: '', idle: false, frozen: undefined };
  private drawNow = () => {};
  private isDue = false;
  /** The id of the last news. */
  private heard = '';

  open(project: ProjectView, draw: () => void): void {
    this.project = project;
    this.drawNow = draw;
    if (this.can('GET /api/events')) this.hear();
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

  /** Newest first. */
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

  /** Browsers give all tabs of a server six connections: a tab has its own only while it is seen. */
  private hear(): void {
    const events = document.hidden ? undefined : this.newsSince(this.heard);
    const turn = () => {
      events?.close();
      this.hear();
    };
    document.addEventListener('visibilitychange', turn, { once: true });
  }

  /** The browser connects again by itself, and says what it has heard last. */
  private newsSince(after: string): EventSource {
    this.connection = 'connecting';
    const events = new EventSource(`/api/events?${new URLSearchParams({ after })}`);
    events.addEventListener('news', ({ data, lastEventId }) => {
      const news: News = JSON.parse(String(data));
      // Another start of denorm dev may have other rules.
      if (news.reset && this.heard !== '') return location.reload();
      this.take(news, this.heard === '');
      this.heard = lastEventId;
    });
    const tell = () => {
      this.connection = states[events.readyState] ?? '';
      this.draw();
    };
    events.addEventListener('open', tell);
    events.addEventListener('error', tell);
    return events;
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
