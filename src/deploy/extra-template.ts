import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { DenormError } from '../model/errors.ts';
import { shortTags } from './short-tags.ts';

/** The file with a project's own part of the template, beside the template. */
export const extraName = 'template.extra.yaml';

/** Sections of a SAM template. Source: AWS SAM Developer Guide, "AWS SAM template anatomy"; CloudFormation User Guide, "Template sections". */
const sections = [
  ...['AWSTemplateFormatVersion', 'Transform', 'Description', 'Metadata', 'Parameters', 'Rules'],
  ...['Mappings', 'Conditions', 'Globals', 'Resources', 'Outputs', 'Hooks'],
];

/**
 * Merges a project's own part into its template: maps merge deeply, texts and lists replace, and null removes.
 * @throws DenormError `template.extra`, which names line and path
 */
export function mergeExtra(document: Document, text: string): void {
  const lines = new LineCounter();
  const extra = parseDocument(text, { lineCounter: lines, logLevel: 'silent' });

  function refuse(message: string, node?: unknown): never {
    const offset = isNode(node) ? node.range?.[0] : undefined;
    const { line, col } = lines.linePos(offset ?? 0);
    throw new DenormError('template.extra', `${extraName}:${line}:${col}: ${message}`);
  }

  const [error] = extra.errors;
  if (error !== undefined) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    const [what = ''] = error.message.split('\n');
    throw new DenormError('template.extra', `${extraName}:${line}:${col}: Expected YAML, got: ${what}`);
  }
  const { contents } = extra;
  if (contents === null || (isScalar(contents) && contents.value === null)) return;
  if (!isMap(contents) || !isMap(document.contents))
    refuse('Expected the sections of a template, such as Resources, got something else', contents);

  visit(extra, {
    Node: (_, node) => {
      if (isAlias(node)) refuse(`Expected no alias, got *${node.source}: write its content out`, node);
      const { tag } = node;
      if (tag?.startsWith('!') && !shortTags.includes(tag))
        refuse(`Expected a function of CloudFormation, such as !Ref or !Sub, got ${tag}`, node);
    },
  });
  for (const { key } of contents.items)
    if (!sections.includes(nameOf(key)))
      refuse(`Expected a section of a template (${sections.join(', ')}), got '${nameOf(key)}'`, key);
  merge(document.contents, contents, []);

  function merge(into: YAMLMap, from: YAMLMap, path: readonly string[]): void {
    for (const pair of from.items) {
      const { key, value } = pair;
      const name = nameOf(key);
      const here = [...path, name];
      const before = into.get(key, true);
      if (isNull(value)) {
        if (!into.has(name))
          refuse(
            `Expected ${here.join('.')} to be there, because null removes it: correct the path, or remove this line`,
            key,
          );
        into.delete(name);
      } else if (isPlainMap(value) && isPlainMap(before)) merge(before, value, here);
      else {
        refuseNulls(value, here);
        if (into.has(name)) into.set(name, value);
        else into.items.push(pair);
      }
    }
  }

  /** There is nothing to remove in what is new. */
  function refuseNulls(node: unknown, path: readonly string[]): void {
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      const here = [...path, nameOf(key)];
      if (isNull(value))
        refuse(
          `Expected ${here.join('.')} to have a value, got null: nothing is there that it could remove`,
          key,
        );
      refuseNulls(value, here);
    }
  }
}

/** A map that is not the operand of a function. */
function isPlainMap(node: unknown): node is YAMLMap {
  return isMap(node) && !node.tag?.startsWith('!');
}

function isNull(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
