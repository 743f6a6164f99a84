import type { RuleView } from '../protocol/project.ts';
import { element, tableOf } from './element.ts';
import { archive, rulesGraph } from './rules-graph.ts';
import type { PageState } from './state.ts';
import { milliseconds, number } from './texts.ts';
import type { View } from './view.ts';

/** How long a way stays lit, in milliseconds. */
const litFor = 1_500;

/** Kinds and rules as a graph; a rule that works lights up. */
export function rulesView(state: PageState): View {
  const { project } = state;
  const graph = rulesGraph(project);
  const isLive = project.abilities.includes('changes');
  const heads = isLive ? ['matched', 'written', 'dead-lettered', 'last took'] : [];
  /** Of each rule, in the table; they are filled in place, so that the table keeps the focus. */
  const cells = new Map(project.rules.map(({ id }) => [id, heads.map(() => element('span'))]));
  const known = new Map<string, number>();

  function news(): void {
    for (const { id } of project.rules) {
      const now = state.rules[id];
      if (now === undefined) continue;
      const { matched, written, deadLettered, lastMilliseconds } = now;
      const took = milliseconds(lastMilliseconds);
      const told = [number(matched), number(written), number(deadLettered), took];
      for (const [at, cell] of (cells.get(id) ?? []).entries()) cell.textContent = told[at] ?? '';
      const arrow = graph.arrows.get(id);
      const work = matched + written;
      const before = known.get(id);
      known.set(id, work);
      if (arrow === undefined) continue;
      arrow.count.textContent = work === 0 ? 'nothing yet' : `${number(written)} written · ${took || '–'}`;
      if (before !== undefined && work > before) light(arrow.group);
    }
  }

  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Rules'),
      element(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Graph of kinds and rules' },
        graph.svg,
      ),
      tableOf(
        isLive ? 'Rules, and what they have done since the start' : 'Rules',
        ['rule', 'from', 'to', ...heads],
        project.rules.map(({ id, name, from, to }) => [name, from, to ?? archive, ...(cells.get(id) ?? [])]),
      ),
      ...details(project.rules),
    ),
    news,
  };
}

function light(arrow: Element): void {
  arrow.classList.add('lit');
  // Above the lines that leave or arrive together with it.
  arrow.parentNode?.append(arrow);
  setTimeout(() => arrow.classList.remove('lit'), litFor);
}

function details(rules: readonly RuleView[]): readonly HTMLElement[] {
  return rules.map(({ name, from, words }) =>
    element(
      'details',
      {},
      element('summary', {}, `${name} of ${from}, in words`),
      element(
        'dl',
        {},
        ...words.flatMap(([label, says]) => [element('dt', {}, label), element('dd', {}, says)]),
      ),
    ),
  );
}
