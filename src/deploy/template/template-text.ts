import { Document, isScalar, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { comments, functionOf, isProperties, type Properties, type Value } from '../cloudformation.ts';

/** In characters. */
const shortLine = 90;

/** A stack as YAML that parsers of 1.1, which CloudFormation has, and of 1.2 read alike, with its comments. */
export function templateText(stack: Properties, header: string): string {
  const document = new Document(null, { compat: 'yaml-1.1' });
  const contents = mapNode(stack);
  document.contents = contents;
  for (const { key, value } of contents.items) {
    setSpace(key);
    if (isScalar(key) && key.value === 'Resources' && value instanceof YAMLMap)
      for (const [index, resource] of value.items.entries()) if (index > 0) setSpace(resource.key);
  }
  document.commentBefore = commentOf(header);
  return document.toString({ lineWidth: 120, flowCollectionPadding: false, singleQuote: true });
}

function setSpace(key: unknown): void {
  if (isScalar(key)) key.spaceBefore = true;
}

function nodeOf(value: Value): Node {
  if (Array.isArray(value)) return seqNode(value);
  if (!isProperties(value)) return scalarNode(value);
  const called = functionOf(value);
  return called === undefined ? mapNode(value) : calledNode(called);
}

/** `!Ref`, `!GetAtt`, `!Sub`, … */
function calledNode([name, operand]: readonly [name: string, operand: Value]): Node {
  const node = nodeOf(name === 'GetAtt' && Array.isArray(operand) ? operand.join('.') : operand);
  node.tag = `!${name}`;
  return node;
}

function mapNode(properties: Properties): YAMLMap {
  const map = new YAMLMap();
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    const key = scalarNode(name);
    const comment = properties[comments]?.[name];
    if (comment !== undefined) key.commentBefore = commentOf(comment);
    map.items.push(new Pair(key, nodeOf(value)));
  }
  return map;
}

function seqNode(values: readonly Value[]): YAMLSeq {
  const seq = new YAMLSeq();
  seq.items.push(...values.map(nodeOf));
  for (const item of seq.items) if (item instanceof YAMLMap) layItem(item);
  seq.flow = isShort(seq);
  return seq;
}

/** A member of a list: on one line if it is short, its first comment before it. */
function layItem(item: YAMLMap): void {
  item.flow = item.items.length <= 2 && isShort(item);
  const [first] = item.items;
  if (first === undefined || !isScalar(first.key)) return;
  item.commentBefore = first.key.commentBefore ?? null;
  first.key.commentBefore = null;
}

function isShort(collection: YAMLMap | YAMLSeq): boolean {
  const items: readonly unknown[] = collection.items;
  const parts = items.flatMap((item) => (item instanceof Pair ? [item.key, item.value] : [item]));
  const isPlain = parts.every((part) => isScalar(part) && part.commentBefore === undefined);
  return isPlain && parts.join(', ').length <= shortLine;
}

function scalarNode(value: Value): Scalar {
  const node = new Scalar(value);
  // JSON stays on one line. `=` is no text for some parsers.
  if (typeof value === 'string' && value.startsWith('{"')) node.type = 'BLOCK_LITERAL';
  if (value === '=') node.type = 'QUOTE_SINGLE';
  return node;
}

function commentOf(text: string): string {
  return text.replace(/^/gm, ' ');
}
