import type { Ability, ProjectView } from '../protocol/project.ts';
import { changeView } from './change-view.ts';
import { changesView } from './changes-view.ts';
import { element } from './element.ts';
import { itemView } from './item-view.ts';
import { metricsView } from './metrics-view.ts';
import { ask, hear } from './requests.ts';
import { rulesView } from './rules-view.ts';
import { PageState } from './state.ts';
import { timeView } from './time-view.ts';
import { troubleView } from './trouble-view.ts';
import { link, type OpenView, type View } from './view.ts';

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly open: OpenView;
  /** Undefined if every page has it. */
  readonly needs?: Ability;
}

const tabs: readonly Tab[] = [
  { name: 'changes', title: 'Changes', open: changesView, needs: 'changes' },
  { name: 'metrics', title: 'Metrics', open: metricsView, needs: 'metrics' },
  { name: 'rules', title: 'Rules', open: rulesView },
  { name: 'time', title: 'Time', open: timeView, needs: 'changes' },
  { name: 'item', title: 'An item', open: itemView },
  { name: 'trouble', title: 'Trouble', open: troubleView },
];

const deployedLimits =
  'A deployed stack tells neither single changes nor counts by rule, and nothing can be changed from here.';

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`Expected an element ${id} in index.html, found none`);
  return found;
};

async function start(): Promise<void> {
  const project = await ask<ProjectView>('/api/project');
  const state = new PageState(project);
  const isLive = project.abilities.includes('changes');
  document.title = `denorm: ${project.table}`;
  part('where').textContent = `table ${project.table} ${project.where}`;
  const shown = tabs.filter(({ needs }) => needs === undefined || project.abilities.includes(needs));
  let current: { readonly view: View; readonly stop: () => void } | undefined;

  function open(): void {
    const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
    const parameters = new URLSearchParams(query);
    const tab = shown.find(({ name }) => name === path) ?? shown[0];
    current?.stop();
    current?.view.close?.();
    if (tab === undefined) return;
    const view = (path === 'change' ? changeView : tab.open)(state, parameters);
    part('main').replaceChildren(view.element);
    current = { view, stop: state.onNews(() => view.news?.()) };
    view.news?.();
    part('views').replaceChildren(
      ...shown.map(({ name, title }) => {
        const isCurrent = path === 'change' ? name === 'changes' : name === tab.name;
        return element('a', { href: link(name), ...(isCurrent && { 'aria-current': 'page' }) }, title);
      }),
    );
  }

  window.addEventListener('hashchange', () => {
    open();
    part('main').focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  // Its address would name a view.
  part('skip').addEventListener('click', (event) => {
    event.preventDefault();
    part('main').focus();
  });
  open();
  if (!isLive) {
    const isLocal = project.abilities.includes('edit');
    part('connection').textContent = isLocal ? 'without a worker' : 'read-only';
    if (!isLocal) part('limits').textContent = deployedLimits;
    return;
  }
  let hasHeard = false;
  hear(
    (news) => {
      // Another start of denorm dev may have other rules.
      if (news.reset && hasHeard) return location.reload();
      hasHeard = true;
      state.take(news);
    },
    (isConnected) => {
      part('connection').textContent = isConnected ? 'live' : 'not connected, trying again';
      part('connection').classList.toggle('broken', !isConnected);
    },
  );
}

start().catch((error: unknown) => {
  part('connection').textContent = error instanceof Error ? error.message : 'failed';
});
