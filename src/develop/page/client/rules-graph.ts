import { Graph, layout, type Point } from '@dagrejs/dagre';
import type { ProjectView, RuleView } from '../protocol/project.ts';
import { drawn } from './element.ts';

/** The width of a character of a label, and the height of a line, in pixels: the layout needs sizes before it draws. */
const character = 7.2;
const line = 18;

/** A line leaves and enters a column straight for so many pixels, as long as its head. */
const straight = 10;

/** A wider graph is not made to fit the page, because its text would be too small; it scrolls. */
const maxFitting = 1_560;

export const archive = 'archive in S3';

interface Box extends Point {
  readonly width: number;
}

/** The kinds of a project, and its rules as arrows between them. */
export interface RulesGraph {
  readonly svg: SVGElement;
  /** What is lit up, and what tells the count, of each rule by its id. */
  readonly arrows: ReadonlyMap<string, { readonly group: SVGElement; readonly count: SVGElement }>;
}

export function rulesGraph({ kinds, rules }: ProjectView): RulesGraph {
  const between = rules.filter(({ from, to }) => to !== from);
  const within = (kind: string) => rules.filter(({ from, to }) => from === kind && to === kind);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 72, marginx: 12, marginy: 12 });
  const node = (name: string, keys: string) => {
    const own = within(name);
    const longest = Math.max(...[name, keys, ...own.map(ownName)].map(({ length }) => length));
    const height = (2 + 2 * own.length) * line + 14;
    graph.setNode(name, { width: longest * character + 24, height });
  };
  for (const { name, keys } of kinds) node(name, keys);
  if (between.some(({ to }) => to === undefined)) node(archive, '');
  const width = ({ name }: RuleView) => Math.max(name.length, 22) * character;
  for (const rule of between) {
    const label = { width: width(rule), height: 2 * line, labelpos: 'c' };
    graph.setEdge(rule.from, rule.to ?? archive, label, rule.id);
  }
  layout(graph);

  const box = (name: string): Box => ({ x: 0, y: 0, width: 0, ...graph.node(name) });
  const columns = columnsOf([...graph.nodes().map(box), ...graph.edges().map((edge) => graph.edge(edge))]);
  const arrows = new Map<string, { readonly group: SVGElement; readonly count: SVGElement }>();
  const arrow = (
    { id, name }: RuleView,
    title: string,
    x: number,
    [above, below]: number[],
    path?: Element,
  ) => {
    const count = drawn('text', { x: round(x), y: round(below ?? 0), class: 'count' });
    const text = drawn('text', { x: round(x), y: round(above ?? 0) }, title);
    const group = drawn('g', { class: 'arrow', 'data-rule': name }, path, text, count);
    arrows.set(id, { group, count });
    return group;
  };
  const edges = graph.edges().flatMap((edge) => {
    const { points = [], x = 0, y = 0 } = graph.edge(edge);
    const rule = rules.find(({ id }) => id === edge.name);
    const d = way(box(edge.v), points.slice(1, -1), box(edge.w), columns);
    const path = drawn('path', { d, 'marker-end': 'url(#head)' });
    return rule === undefined ? [] : [arrow(rule, rule.name, x, [y - 6, y + 16], path)];
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
      ...within(name).map((rule, at) => {
        const y = top + 21 + (2 + 2 * at) * line;
        return arrow(rule, ownName(rule), x, [y, y + line]);
      }),
    );
  });
  const { width: whole = 0, height = 0 } = graph.graph();
  const head = drawn(
    'marker',
    {
      ...{ id: 'head', viewBox: '0 0 8 8', refX: '7', refY: '4' },
      ...{ markerWidth: '11', markerHeight: '11', markerUnits: 'userSpaceOnUse', orient: 'auto' },
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
  return { svg, arrows };
}

/** A rule that derives attributes of the item itself is drawn within its kind. */
function ownName({ name }: RuleView): string {
  return `\u21bb ${name}`;
}

/** Half the width of each column, by its middle: the layout centres what is below each other. */
function columnsOf(boxes: readonly Partial<Box>[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  for (const { x = 0, width = 0 } of boxes)
    columns.set(round(x), Math.max(columns.get(round(x)) ?? 0, width / 2 + straight));
  return columns;
}

/** An arrow goes straight through each column, and bends between them, where no text is. */
function way(from: Box, bends: readonly Point[], to: Box, columns: ReadonlyMap<string, number>): string {
  const forth = to.x < from.x ? -1 : 1;
  const half = ({ x }: Point) => forth * (columns.get(round(x)) ?? 0);
  let [x, y] = [from.x + half(from), from.y];
  let d = `M${round(from.x + (forth * from.width) / 2)} ${round(y)}`;
  for (const stop of [...bends, to]) {
    const near = stop.x - half(stop);
    const middle = round((x + near) / 2);
    d += `H${round(x)}C${middle} ${round(y)} ${middle} ${round(stop.y)} ${round(near)} ${round(stop.y)}`;
    [x, y] = [stop.x + half(stop), stop.y];
  }
  return `${d}H${round(to.x - (forth * to.width) / 2)}`;
}

function round(value: number): string {
  return value.toFixed(1);
}
