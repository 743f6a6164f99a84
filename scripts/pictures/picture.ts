/** What a picture of the documents shows: boxes on a grid, and arrows between them. */
export interface Picture {
  /** For those who cannot see it. */
  readonly title: string;
  /** The width of each column, then of the gap on its right, in pixels. */
  readonly columns: readonly (readonly [width: number, gap: number])[];
  readonly boxes: Readonly<Record<string, Box>>;
  readonly arrows: readonly Arrow[];
}

export interface Box {
  readonly column: number;
  readonly row: number;
  /** The first is the title. */
  readonly text: readonly string[];
  /** Where things are stored, what the worker does, what a person does, or what ends. */
  readonly is: 'store' | 'worker' | 'person' | 'end';
  /** How many columns it takes. Default: 1. */
  readonly spans?: number;
}

/** From the middle of one side to the middle of another. A path that turns does so where `turns` says. */
export interface Arrow {
  readonly from: readonly [box: string, side: Side];
  readonly to: readonly [box: string, side: Side];
  /** The lines beside its first part. */
  readonly label?: readonly string[];
}

export type Side = 'top' | 'right' | 'bottom' | 'left';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Placed extends Point {
  readonly width: number;
  readonly height: number;
}

const margin = 16;
const rowGap = 44;
const lineHeight = 17;
/** A letter in the mean, in pixels: of a font of 13, bold or not, and of the labels' 11. */
const letter = { head: 7.4, line: 6.6, label: 5.6 };

/** A picture as SVG, on a ground of its own: readable on a light page and on a dark one. */
export function svgOf(picture: Picture): string {
  const { placed, width, height } = layout(picture);
  const boxes = Object.entries(picture.boxes).map(([name, box]) => boxText(box, at(placed, name)));
  const arrows = picture.arrows.map((arrow) => arrowText(arrow, placed));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(picture.title)}</title>`,
    style,
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker>',
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    ...boxes,
    ...arrows,
    '</svg>',
  ].join('\n')}\n`;
}

/** Lines that are wider than their box, or than the gap that their arrow crosses. */
export function tooWide(picture: Picture): readonly string[] {
  const { placed } = layout(picture);
  const ofBoxes = Object.entries(picture.boxes).flatMap(([name, { text }]) =>
    text.filter(
      (line, index) => line.length * letter[index === 0 ? 'head' : 'line'] > at(placed, name).width - 12,
    ),
  );
  const ofArrows = picture.arrows.flatMap(({ from, to, label = [] }) => {
    const isAcross = isSideways(from[1]) && isSideways(to[1]);
    const room = Math.abs(point(placed, from).x - point(placed, to).x);
    return isAcross ? label.filter((line) => line.length * letter.label > room) : [];
  });
  return [...ofBoxes, ...ofArrows];
}

function layout({ columns, boxes }: Picture) {
  const all = Object.values(boxes);
  const heights: number[] = [];
  for (const { row, text } of all) heights[row] = Math.max(heights[row] ?? 0, text.length * lineHeight + 18);
  const lefts = columns.map((_, index) => sum(columns.slice(0, index).map(([width, gap]) => width + gap)));
  const tops = heights.map((_, index) => sum(heights.slice(0, index)) + index * rowGap);
  const placed = new Map(
    Object.entries(boxes).map(([name, { column, row, spans = 1, text }]): [string, Placed] => {
      const [last = 0] = columns[column + spans - 1] ?? [];
      const height = text.length * lineHeight + 18;
      const left = lefts[column] ?? 0;
      return [
        name,
        {
          x: margin + left,
          y: margin + (tops[row] ?? 0) + ((heights[row] ?? 0) - height) / 2,
          width: (lefts[column + spans - 1] ?? 0) + last - left,
          height,
        },
      ];
    }),
  );
  const [last = 0] = columns.at(-1) ?? [];
  return {
    placed,
    width: 2 * margin + (lefts.at(-1) ?? 0) + last,
    height: 2 * margin + (tops.at(-1) ?? 0) + (heights.at(-1) ?? 0),
  };
}

function boxText({ text, is }: Box, { x, y, width, height }: Placed): string {
  const middle = x + width / 2;
  const lines = text.map(
    (line, index) =>
      `<text class="${index === 0 ? 'head' : 'line'}" x="${middle}" y="${y + 9 + (index + 0.75) * lineHeight}">${escaped(line)}</text>`,
  );
  return [
    `<rect class="${is}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    ...lines,
  ].join('\n');
}

function arrowText({ from, to, label = [] }: Arrow, placed: ReadonlyMap<string, Placed>): string {
  const points = path(point(placed, from), from[1], point(placed, to), to[1]);
  const [first, second] = points;
  const drawn = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  const lines = first && second ? labelText(first, second, label) : [];
  return [`<path class="arrow" d="${drawn}" marker-end="url(#tip)"/>`, ...lines].join('\n');
}

/** Above a part that goes sideways; on the right of one that goes up or down. */
function labelText(from: Point, to: Point, lines: readonly string[]): readonly string[] {
  const isLevel = from.y === to.y;
  return lines.map((line, index) => {
    const x = isLevel ? (from.x + to.x) / 2 : from.x + 8;
    const y = isLevel
      ? from.y - 6 - (lines.length - 1 - index) * 13
      : (from.y + to.y) / 2 + 4 + (index - (lines.length - 1) / 2) * 13;
    return `<text class="label${isLevel ? ' middle' : ''}" x="${x}" y="${y}">${escaped(line)}</text>`;
  });
}

/** Straight, with one turn between a level and an upright side, or with two half-way between sides of one kind. */
function path(from: Point, fromSide: Side, to: Point, toSide: Side): readonly Point[] {
  const [level, alsoLevel] = [isSideways(fromSide), isSideways(toSide)];
  if (from.x === to.x && !level && !alsoLevel) return [from, to];
  if (from.y === to.y && level && alsoLevel) return [from, to];
  if (level !== alsoLevel) return [from, level ? { x: to.x, y: from.y } : { x: from.x, y: to.y }, to];
  if (!level) {
    const y = (from.y + to.y) / 2;
    return [from, { x: from.x, y }, { x: to.x, y }, to];
  }
  // Out of one side and into the same side of another: around what is between.
  const outside = fromSide === 'left' ? Math.min(from.x, to.x) - 34 : Math.max(from.x, to.x) + 34;
  const x = fromSide === toSide ? outside : (from.x + to.x) / 2;
  return [from, { x, y: from.y }, { x, y: to.y }, to];
}

function point(placed: ReadonlyMap<string, Placed>, [name, side]: readonly [string, Side]): Point {
  const { x, y, width, height } = at(placed, name);
  switch (side) {
    case 'top':
      return { x: x + width / 2, y };
    case 'bottom':
      return { x: x + width / 2, y: y + height };
    case 'left':
      return { x, y: y + height / 2 };
    case 'right':
      return { x: x + width, y: y + height / 2 };
  }
}

function at(placed: ReadonlyMap<string, Placed>, name: string): Placed {
  const found = placed.get(name);
  if (found === undefined) throw new Error(`Expected a box called ${name}, found none: correct the arrow`);
  return found;
}

function isSideways(side: Side): boolean {
  return side === 'left' || side === 'right';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const style = `<style>
text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; text-anchor: middle; fill: #1f2328 }
.head { font-weight: 600 }
.label { font-size: 11px; text-anchor: start; fill: #59636e }
.middle { text-anchor: middle }
.ground { fill: #ffffff }
.arrow { fill: none; stroke: #59636e; stroke-width: 1.5 }
.tip { fill: #59636e }
rect { stroke-width: 1.5 }
.store { fill: #ddf4ff; stroke: #0969da }
.worker { fill: #dafbe1; stroke: #1a7f37 }
.person { fill: #fff8c5; stroke: #9a6700 }
.end { fill: #f6f8fa; stroke: #818b98 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .label { fill: #b1bac4 }
  .ground { fill: #0d1117 }
  .arrow { stroke: #b1bac4 }
  .tip { fill: #b1bac4 }
  .store { fill: #0c2d6b; stroke: #58a6ff }
  .worker { fill: #033a16; stroke: #3fb950 }
  .person { fill: #3b2300; stroke: #d29922 }
  .end { fill: #151b23; stroke: #656c76 }
}
</style>`;
