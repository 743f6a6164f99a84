import { html, render } from 'htm/preact';
import { number, visible } from '../../model/basics/text.ts';
import { ask, errorText, link } from './ask.ts';
import { OneChange } from './change.ts';
import { Changes } from './changes.ts';
import { Items } from './items.ts';
import { Metrics } from './metrics.ts';
import { Rules } from './rules.ts';
import { store } from './store.ts';
import { Trouble } from './trouble.ts';

/** The views, with what the server must answer for them. */
const views = [
  { name: 'changes', title: 'Changes', needs: 'GET /api/news', show: () => html`<${Changes} />` },
  { name: 'metrics', title: 'Metrics', needs: 'GET /api/metrics', show: () => html`<${Metrics} />` },
  { name: 'rules', title: 'Rules', needs: 'GET /api/item', show: () => html`<${Rules} />` },
  { name: 'items', title: 'Items', needs: 'GET /api/item', show: showItem },
  { name: 'trouble', title: 'Trouble', needs: 'GET /api/failures', show: () => html`<${Trouble} />` },
];

function showItem(query: URLSearchParams) {
  return html`<${Items} key=${String(query)} query=${query} />`;
}

function App() {
  const { project, connection, failures } = store;
  const shown = views.filter(({ needs }) => store.can(needs));
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const parameters = new URLSearchParams(query);
  const id = path === 'change' ? parameters.get('id') : null;
  const view = path === '' ? shown[0] : shown.find(({ name }) => name === path);
  const title = id === null ? (view?.title ?? 'No such page') : 'A change';
  document.title = [parameters.get('pk') ?? parameters.get('kind') ?? id, title, `denorm ${project.table}`]
    .filter(Boolean)
    .join(' · ');
  const failed = failures?.failures.length ?? 0;
  const tab = (one: (typeof views)[number]) =>
    html`<a href=${link(one.name)} aria-current=${one === view ? 'page' : undefined}>${one.title}
      ${one.name === 'trouble' && failed > 0 && html` <b class="bad">${number(failed)}</b>`}</a>`;
  return html`
    <a id="skip" href="#main" onClick=${skip}>Skip to content</a>
    <header>
      <h1>denorm</h1>
      <span class="quiet">table ${project.table} ${project.where}</span>
      <span role="status" class=${connection.startsWith('not') ? 'bad' : 'good'}>${connection}</span>
      ${connection === 'read-only' && html`<span class="quiet">A stack tells no single changes, and nothing is changed from here.</span>`}
      <nav aria-label="Views">
        ${shown.map(tab)}
      </nav>
    </header>
    <main id="main" tabindex="-1">
      ${id === null && view === undefined && html`<h2>No such page</h2><p>This page has no address <code>${visible(path)}</code>: choose a view above.</p>`}
      ${id === null ? view?.show(parameters) : html`<${OneChange} key=${id} id=${Number(id)} />`}
    </main>
  `;
}

function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Its address would name a view. */
function skip(event: Event): void {
  event.preventDefault();
  focusMain();
}

const page = document.getElementById('page') ?? document.body;
const draw = () => render(html`<${App} />`, page);
window.addEventListener('resize', () => store.draw());
window.addEventListener('hashchange', () => {
  draw();
  focusMain();
  scrollTo(0, 0);
});
ask<typeof store.project>('/api/project').then(
  (project) => {
    store.open(project, draw);
  },
  (error: unknown) => {
    page.textContent = errorText(error);
  },
);
