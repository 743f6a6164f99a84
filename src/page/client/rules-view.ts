import { Graph, layout, type Point } from '@dagrejs/dagre';
import type { RuleView } from '../protocol/project.ts';
import { drawn, element, tableOf } from './element.ts';
import type { PageState } from './state.ts';
import { milliseconds, number } from './texts.ts';
import type { View } from './view.ts';

/** How long a way stays lit, in milliseconds. */
const litFor = 1_500;

/** The width of a character of a label, and the height of a line, in pixels: the layout needs sizes before it draws. */
const character = 7.2;
const line = 18;

const archive = 'archive in S3';

/** A wider graph is not made to fit the page, because its text would be too small; it scrolls. */
const maxFitting = 1_700;

/** Kinds and rules as a graph; a rule that works lights up. */
export function rulesView(state: PageState): View {
  const { project } = state;
  const arrows = project.rules.map((rule, at) => ({ id: String(at), rule }));
  const drawing = draw(state, arrows);
  const counts = element('div');
  const known = new Map<string, number>();

  function news(): void {
    for (const { id, rule } of arrows) {
      const now = state.rules[rule.name];
      if (now === undefined) continue;
      const told = drawing.counts.get(id);
      if (told !== undefined) told.textContent = countsOf(state, rule);
      const work = now.matched + now.written;
      const before = known.get(id);
      known.set(id, work);
      if (before !== undefined && work > before) light(drawing.arrows.get(id));
    }
    counts.replaceChildren(tableOfRules(state));
  }

  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Rules'),
      element(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Graph of kinds and rules' },
        drawing.svg,
      ),
      counts,
      ...details(project.rules),
    ),
    news,
  };
}

function light(arrow: Element | undefined): void {
  if (arrow === undefined) return;
  arrow.classList.add('lit');
  setTimeout(() => arrow.classList.remove('lit'), litFor);
}

function countsOf({ rules, project }: PageState, { name }: RuleView): string {
  const counts = rules[name];
  if (!project.abilities.includes('changes')) return '';
  if (counts === undefined || counts.matched + counts.written === 0) return 'nothing yet';
  return `${number(counts.written)} written · ${milliseconds(counts.lastMilliseconds) || '–'}`;
}

interface Arrow {
  readonly id: string;
  readonly rule: RuleView;
}

function draw(state: PageState, arrows: readonly Arrow[]) {
  const { kinds } = state.project;
  const between = arrows.filter(({ rule }) => rule.to !== rule.from);
  const within = (kind: string) => arrows.filter(({ rule }) => rule.from === kind && rule.to === kind);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 40, marginx: 12, marginy: 12 });
  const node = (name: string, keys: string) => {
    const own = within(name);
    const longest = Math.max(
      ...[name, keys, ...own.map(({ rule }) => ownName(rule))].map(({ length }) => length),
    );
    const height = (2 + 2 * own.length) * line + 14;
    graph.setNode(name, { width: longest * character + 24, height });
  };
  for (const { name, keys } of kinds) node(name, keys);
  if (between.some(({ rule }) => rule.to === undefined)) node(archive, '');
  const width = (rule: RuleView) => Math.max(rule.name.length, 22) * character;
  for (const { id, rule } of between)
    graph.setEdge(rule.from, rule.to ?? archive, { width: width(rule), height: 2 * line, labelpos: 'c' }, id);
  layout(graph);

  const counts = new Map<string, Element>();
  const groups = new Map<string, Element>();
  const labelled = ({ id, rule }: Arrow, name: string, x: number, y: number, path?: Element) => {
    const told = drawn('text', { x: round(x), y: round(y + line), class: 'count' });
    const group = drawn(
      'g',
      { class: 'arrow' },
      path,
      drawn('text', { x: round(x), y: round(y) }, name),
      told,
    );
    group.setAttribute('data-rule', rule.name);
    counts.set(id, told);
    groups.set(id, group);
    return group;
  };
  const edges = graph.edges().flatMap((edge) => {
    const { points = [], x = 0, y = 0 } = graph.edge(edge);
    const arrow = arrows.find(({ id }) => id === edge.name);
    const d = points
      .map((point: Point, at: number) => `${at === 0 ? 'M' : 'L'}${round(point.x)} ${round(point.y)}`)
      .join(' ');
    const path = drawn('path', { d, 'marker-end': 'url(#head)' });
    return arrow === undefined ? [] : [labelled(arrow, arrow.rule.name, x, y - 4, path)];
  });
  const nodes = graph.nodes().map((name) => {
    const { x = 0, y = 0, width: wide = 0, height = 0 } = graph.node(name) ?? {};
    const top = y - height / 2;
    const keys = kinds.find((kind) => kind.name === name)?.keys ?? '';
    return drawn(
      'g',
      { class: 'kind' },
      drawn('rect', {
        ...{ x: round(x - wide / 2), y: round(top), width: round(wide), height: round(height), rx: '6' },
      }),
      drawn('text', { x: round(x), y: round(top + (keys === '' ? 30 : 21)), class: 'name' }, name),
      drawn('text', { x: round(x), y: round(top + 21 + line), class: 'keys' }, keys),
      ...within(name).map((arrow, at) =>
        labelled(arrow, ownName(arrow.rule), x, top + 21 + (2 + 2 * at) * line),
      ),
    );
  });
  const { width: whole = 0, height = 0 } = graph.graph();
  const head = drawn(
    'marker',
    {
      id: 'head',
      viewBox: '0 0 8 8',
      refX: '7',
      refY: '4',
      markerWidth: '8',
      markerHeight: '8',
      orient: 'auto',
    },
    drawn('path', { d: 'M0 0L8 4L0 8z' }),
  );
  const svg = drawn(
    'svg',
    {
      class: whole <= maxFitting ? 'graph fits' : 'graph',
      width: round(whole),
      height: round(height),
      viewBox: `0 0 ${round(whole)} ${round(height)}`,
      role: 'img',
    },
    drawn('title', {}, 'Kinds of items, and the rules between them; the table below says the same'),
    drawn('defs', {}, head),
    ...edges,
    ...nodes,
  );
  return { svg, counts, arrows: groups };
}

/** A rule that derives attributes of the item itself is drawn within its kind. */
function ownName({ name }: RuleView): string {
  return `\u21bb ${name}`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function tableOfRules(state: PageState): HTMLElement {
  const { project, rules } = state;
  const isLive = project.abilities.includes('changes');
  return tableOf(
    'Rules, and what they have done since the start',
    ['rule', 'from', 'to', ...(isLive ? ['matched', 'written', 'dead-lettered', 'last took'] : [])],
    project.rules.map(({ name, from, to }) => {
      const counts = rules[name];
      const told = [counts?.matched, counts?.written, counts?.deadLettered].map((count) =>
        number(count ?? 0),
      );
      return [
        name,
        from,
        to ?? archive,
        ...(isLive ? [...told, milliseconds(counts?.lastMilliseconds)] : []),
      ];
    }),
  );
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
