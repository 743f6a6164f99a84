import { type Document, isMap, isPair, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** What a node is made of. A text becomes {@link textNode}, undefined members are left out. */
export type NodeContent = string | number | readonly NodeContent[] | { readonly [name: string]: unknown };

/** Words and numbers that YAML 1.1, which CloudFormation reads, takes for something else than text. */
const ambiguous = /^(y|n|yes|no|on|off|true|false|null|~|[-+.\d].*)$/i;

/** A text that every YAML parser reads as this text; a long one is folded. */
export function textNode(text: string): Scalar<string> {
  const node = new Scalar(text);
  const isPlain = /^[\w/](?:[\w ;,./()*-]|:(?! |$))*(?<![ ;,-])$/.test(text) && !ambiguous.test(text);
  const isFoldable = /^\S(?!.*(?: {2}|\t)).* .*\S$/.test(text);
  if (text.length > 80 && isFoldable) node.type = 'BLOCK_FOLDED';
  else if (!isPlain) node.type = text.includes('\n') ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE';
  return node;
}

/** Text of a single line that is never folded. */
export function lineNode(text: string): Scalar<string> {
  const node = new Scalar(text);
  node.type = 'BLOCK_LITERAL';
  return node;
}

/** `!Ref`, `!Sub`, `!GetAtt` of a text. */
export function tagged(tag: '!Ref' | '!Sub' | '!GetAtt', text: string): Scalar<string> {
  const node = new Scalar(text);
  node.tag = tag;
  return node;
}

export function mapNode(members: Readonly<Record<string, unknown>>, flow = false): YAMLMap {
  const node = new YAMLMap();
  node.flow = flow;
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) node.items.push(new Pair(textNode(name), nodeOf(value)));
  return node;
}

export function seqNode(members: readonly unknown[], flow = false): YAMLSeq {
  const node = new YAMLSeq();
  node.flow = flow;
  node.items.push(...members.map(nodeOf));
  return node;
}

function nodeOf(value: unknown): unknown {
  if (typeof value === 'string') return textNode(value);
  return typeof value === 'number' || typeof value === 'boolean' ? new Scalar(value) : value;
}

type Path = readonly (string | number)[];

/**
 * The map at a path.
 * @throws Error if there is none: the base template and this code disagree
 */
export function mapAt(document: Document, path: Path): YAMLMap {
  const node = document.getIn(path);
  if (isMap(node)) return node;
  throw new Error(`Expected a map at ${path.join('.')} of the base template`);
}

/** As {@link mapAt}, for a list. */
export function seqAt(document: Document, path: Path): YAMLSeq {
  const node = document.getIn(path);
  if (isSeq(node)) return node;
  throw new Error(`Expected a list at ${path.join('.')} of the base template`);
}

/** The names in a map, in their order. */
export function namesIn(map: YAMLMap): readonly string[] {
  return map.items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : []));
}

/** Removes the members of these names, with their comments. */
export function removeNames(map: YAMLMap, remove: (name: string) => boolean): void {
  map.items = map.items.filter(
    (pair) => !(isPair(pair) && isScalar(pair.key) && remove(String(pair.key.value))),
  );
}
