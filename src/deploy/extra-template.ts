import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { DenormError } from '../model/errors.ts';
import { functionOf, isProperties, longForms, type Properties, type Value } from './cloudformation.ts';

/** The file with a project's own part of the template, beside the template. */
export const extraName = 'template.extra.yaml';

/** Sections of a SAM template. Source: AWS SAM Developer Guide, "AWS SAM template anatomy"; CloudFormation User Guide, "Template sections". */
const sections = [
  ...['AWSTemplateFormatVersion', 'Transform', 'Description', 'Metadata', 'Parameters', 'Rules'],
  ...['Mappings', 'Conditions', 'Globals', 'Resources', 'Outputs', 'Hooks'],
];

/**
 * A stack with a project's own part: maps merge deeply, texts and lists replace, and null removes.
 * @param text the part, in the format of a template
 * @throws DenormError `template.extra`, which names line and path
 */
export function withExtra(stack: Properties, text: string): Properties {
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
  if (contents === null || isNull(contents)) return stack;
  if (!isMap(contents))
    refuse('Expected the sections of a template, such as Resources, got something else', contents);

  visit(extra, {
    Node: (_, node) => {
      if (isAlias(node)) refuse(`Expected no alias, got *${node.source}: write its content out`, node);
      const { tag } = node;
      if (tag?.startsWith('!') && !longForms.has(tag.slice(1)))
        refuse(`Expected a function of CloudFormation, such as !Ref or !Sub, got ${tag}`, node);
    },
  });
  for (const { key } of contents.items)
    if (!sections.includes(nameOf(key)))
      refuse(`Expected a section of a template (${sections.join(', ')}), got '${nameOf(key)}'`, key);
  return merged(stack, contents, []);

  function merged(into: Properties, from: YAMLMap, path: readonly string[]): Properties {
    const members: Record<string, Value> = {};
    for (const { key, value } of from.items) {
      const name = nameOf(key);
      const here = [...path, name];
      const before = into[name];
      if (isNull(value)) {
        if (before === undefined)
          refuse(
            `Expected ${here.join('.')} to be there, because null removes it: correct the path, or remove this line`,
            key,
          );
        members[name] = undefined;
      } else if (isPlainMap(value) && isProperties(before) && functionOf(before) === undefined)
        members[name] = merged(before, value, here);
      else members[name] = newValue(value, here);
    }
    return { ...into, ...members };
  }

  /** What is new, in its long form. There is nothing in it to remove. */
  function newValue(node: unknown, path: readonly string[]): Value {
    if (isNull(node))
      refuse(
        `Expected ${path.join('.')} to have a value, got null: nothing is there that it could remove`,
        node,
      );
    const value = contentOf(node, path);
    const short = isNode(node) && node.tag?.startsWith('!') ? node.tag.slice(1) : undefined;
    const long = short === undefined ? undefined : longForms.get(short);
    if (long === undefined) return value;
    return { [long]: short === 'GetAtt' && typeof value === 'string' ? splitOnce(value) : value };
  }

  function contentOf(node: unknown, path: readonly string[]): Value {
    if (isMap(node))
      return Object.fromEntries(
        node.items.map(({ key, value }) => [nameOf(key), newValue(value, [...path, nameOf(key)])]),
      );
    if (isSeq(node)) return node.items.map((item, index) => newValue(item, [...path, String(index)]));
    return isScalar(node) && (typeof node.value === 'number' || typeof node.value === 'boolean')
      ? node.value
      : nameOf(node);
  }
}

const table = ['Resources', 'Table', 'Properties'];
const filters = ['Properties', 'Events', 'Stream', 'Properties', 'FilterCriteria'];
/** What the rules need as it is: with other names they find nothing, and a mapping drops a record that passes no filter. */
const ruled = [
  ...['KeySchema', 'StreamSpecification', 'TimeToLiveSpecification'].map((name) => [...table, name]),
  ...['Propagate', 'Archive'].map((name) => ['Resources', name, ...filters]),
];

/**
 * Refuses an own part that takes from a stack what the rules need. More indexes are fine.
 * @throws DenormError `template.extra`
 */
export function requireRuled(stack: Properties, merged: Properties): void {
  const indexes = [...table, 'GlobalSecondaryIndexes'];
  const found = new Set([valueAt(merged, indexes)].flat().map((index) => JSON.stringify(index)));
  const lacksIndex = [valueAt(stack, indexes)].flat().some((index) => !found.has(JSON.stringify(index)));
  const changed = ruled.find(
    (path) => JSON.stringify(valueAt(stack, path)) !== JSON.stringify(valueAt(merged, path)),
  );
  const path = changed ?? (lacksIndex ? indexes : undefined);
  if (path !== undefined)
    throw new DenormError(
      'template.extra',
      `${extraName}: Expected ${path.join('.')} to have what the rules need, found something else: remove it here, or correct denorm.config.ts`,
    );
}

function valueAt(stack: Properties, path: readonly string[]): Value {
  return path.reduce<Value>((value, name) => (isProperties(value) ? value[name] : undefined), stack);
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

function splitOnce(text: string): readonly string[] {
  const [id = '', ...attribute] = text.split('.');
  return [id, attribute.join('.')];
}
