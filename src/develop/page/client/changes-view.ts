import type { ChangeView } from '../protocol/changes.ts';
import { element, field } from './element.ts';
import type { PageState } from './state.ts';
import { counted, countsText, eventText, keyText, milliseconds, number, time } from './texts.ts';
import { link, type View } from './view.ts';

/** Changes that are listed: more are slow to draw, and nobody reads them. */
const maxListed = 200;

/** The live list of changes, newest first. */
export function changesView(state: PageState): View {
  const { project, list: kept } = state;
  const names = [...new Set(project.rules.map(({ name }) => name))];
  const rule = element(
    'select',
    {
      id: 'rule',
      change: () => {
        kept.rule = rule.value;
        draw();
      },
    },
    element('option', { value: '' }, 'all rules'),
    ...names.map((name) => element('option', { value: name, selected: name === kept.rule }, name)),
  );
  const key = element('input', {
    id: 'key',
    type: 'search',
    placeholder: 'part of a key',
    value: kept.key,
    input: () => {
      kept.key = key.value;
      draw();
    },
  });
  const pause = element('button', { type: 'button', click: () => toggle() });
  const summary = element('p', { role: 'status', class: 'quiet' });
  const list = element('ol', { class: 'changes', 'aria-label': 'Changes, newest first' });
  const rows = new Map<number, { readonly change: ChangeView; readonly row: HTMLElement }>();

  function toggle(): void {
    kept.frozen = kept.frozen === undefined ? state.newest() : undefined;
    draw();
  }

  function isWanted(change: ChangeView): boolean {
    const text = kept.key.trim().toLowerCase();
    return (
      (kept.rule === '' || change.rules.some((one) => one.rule === kept.rule)) &&
      (text === '' || `${change.key.pk} ${change.key.sk}`.toLowerCase().includes(text))
    );
  }

  function rowOf(change: ChangeView): HTMLElement {
    const known = rows.get(change.id);
    if (known?.change === change) return known.row;
    const row = rowFor(change, state);
    rows.set(change.id, { change, row });
    return row;
  }

  function draw(): void {
    const isPaused = kept.frozen !== undefined;
    pause.setAttribute('aria-pressed', String(isPaused));
    pause.textContent = isPaused ? 'Go on' : 'Pause';
    const wanted = (kept.frozen ?? state.newest()).filter(isWanted);
    const drawn = wanted.slice(0, maxListed);
    const ids = new Set(drawn.map(({ id }) => id));
    for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
    for (const [at, change] of drawn.entries()) {
      const row = rowOf(change);
      const present = list.children[at];
      if (present === row) continue;
      if (present?.id === row.id) {
        const hasFocus = present.contains(document.activeElement);
        present.replaceWith(row);
        if (hasFocus) row.querySelector('a')?.focus();
      } else list.insertBefore(row, present ?? null);
    }
    while (list.children.length > drawn.length) list.lastElementChild?.remove();
    summary.textContent =
      state.total === 0
        ? 'No change yet: write an item to the table, with any AWS SDK.'
        : `${counted(state.total, 'change', 'changes')} so far, ${number(drawn.length)} listed${isPaused ? ', paused' : ''}`;
  }

  draw();
  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Changes'),
      element(
        'form',
        { class: 'filters', submit: (event) => event.preventDefault() },
        field('Rule', rule),
        field('Key', key),
        pause,
      ),
      summary,
      list,
    ),
    news: () => {
      if (kept.frozen === undefined) draw();
    },
  };
}

function rowFor(change: ChangeView, { project }: PageState): HTMLElement {
  const { id, key, kinds, attributes, arrived, maxLag, requests, readUnits, writeUnits } = change;
  const differing = change.event === 'MODIFY' && attributes.length > 0 ? attributes.join(', ') : '';
  const rules = change.rules.filter(({ asks }) => asks !== 'nothing');
  const copies =
    arrived === 0 ? '' : `${counted(arrived, 'copy', 'copies')} arrived within ${milliseconds(maxLag)}`;
  const used =
    requests === 0 ? '' : `${number(requests)} requests, ${number(readUnits)} RCU, ${number(writeUnits)} WCU`;
  return element(
    'li',
    { id: `change-${id}` },
    element(
      'a',
      { href: link('change', { id: String(id) }) },
      element('time', { datetime: new Date(change.at).toISOString() }, time(change.at)),
      element('strong', {}, kinds.join(' and ') || 'of no kind'),
      element('code', {}, keyText(key, project.keyNames)),
      element('span', {}, eventText(change)),
      differing === '' ? undefined : element('span', { class: 'quiet' }, differing),
    ),
    element(
      'ul',
      { class: 'rules' },
      ...rules.map((one) =>
        element(
          'li',
          { class: `${one.state} ${one.counts.deadLettered > 0 ? 'bad' : ''}`.trim() },
          element('span', { class: 'rule' }, one.rule),
          ` ${countsText(one)} `,
          element('span', { class: 'quiet' }, milliseconds(one.milliseconds)),
        ),
      ),
    ),
    rules.length > 0 ? undefined : element('p', { class: 'quiet' }, 'no rule matches'),
    element('p', { class: 'quiet' }, [copies, used].filter((text) => text !== '').join(' · ')),
  );
}
