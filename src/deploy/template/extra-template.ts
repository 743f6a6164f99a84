import { type CollectionTag, parseDocument, type ScalarTag, visit, YAMLMap } from 'yaml';
import { DenormError } from '../../model/basics/errors.ts';
import { streamFunctions } from '../../model/work/settings.ts';
import { isMap, isProperties, longForms, type Properties, type Value } from '../cloudformation.ts';

export const extraName = 'template.extra.yaml';

/** Sections of a SAM template. Source: AWS SAM Developer Guide, "AWS SAM template anatomy"; CloudFormation User Guide, "Template sections". */
const sections = [
  ...['AWSTemplateFormatVersion', 'Transform', 'Description', 'Metadata', 'Parameters', 'Rules'],
  ...['Mappings', 'Conditions', 'Globals', 'Resources', 'Outputs', 'Hooks'],
];

/** The functions of CloudFormation in their short form. Any other tag is a mistake. */
const functionTags = [...longForms].flatMap(([short, long]): (ScalarTag | CollectionTag)[] => {
  const tag = `!${short}`;
  const resolve: CollectionTag['resolve'] = (operand) => {
    const called = new YAMLMap();
    called.set(long, operand);
    return called;
  };
  return [
    { tag, resolve: (text) => ({ [long]: short === 'GetAtt' ? splitOnce(text) : text }) },
    ...(['seq', 'map'] as const).map((collection) => ({ tag, collection, resolve })),
  ];
});

/**
 * A stack with a project's own part: maps merge deeply, texts and lists replace, and null removes.
 * @param text the part, in the format of a template
 * @throws DenormError `template.extra`, which names the line or the path
 */
export function withExtra(stack: Properties, text: string): Properties {
  const extra = parseDocument(text, { customTags: (tags) => [...tags, ...functionTags], logLevel: 'silent' });
  const [error] = [...extra.errors, ...extra.warnings];
  if (error !== undefined) {
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
    const [what = ''] = error.message.split(' at line');
    throw refusal(`${line}:${col}: Expected YAML with functions of CloudFormation, got: ${what}`);
  }
  visit(extra, {
    Alias(_, { source }) {
      throw refusal(`Expected no alias, got *${source}: write its content out`);
    },
  });
  const part: Value | null = extra.toJS();
  if (part === null) return stack;
  if (!isProperties(part))
    throw refusal('Expected the sections of a template, such as Resources, got something else');
  const unknown = Object.keys(part).find((name) => !sections.includes(name));
  if (unknown !== undefined)
    throw refusal(`Expected a section of a template (${sections.join(', ')}), got '${unknown}'`);
  return merged(stack, part, []);
}

/**
 * Maps merge deeply, texts and lists replace, and null removes.
 * @param path where the second has come from, for errors
 */
export function merged(into: Properties, from: Properties, path: readonly string[]): Properties {
  const members = Object.entries(from).map(([name, value]): [string, Value] => {
    const here = [...path, name];
    const before = into[name];
    if (value === null && before === undefined)
      throw refusal(
        `Expected ${here.join('.')} to be there, because null removes it: correct the path, or remove this line`,
      );
    if (value === null) return [name, undefined];
    if (isMap(value) && isMap(before)) return [name, merged(before, value, here)];
    requireValues(value, here);
    return [name, value];
  });
  return { ...into, ...Object.fromEntries(members) };
}

/** Refuses null in what is new: there is nothing in it to remove. */
function requireValues(value: Value | null, path: readonly string[]): void {
  if (value === null)
    throw refusal(
      `Expected ${path.join('.')} to have a value, got null: nothing is there that it could remove`,
    );
  if (typeof value === 'object')
    for (const [name, member] of Object.entries(value)) requireValues(member, [...path, name]);
}

function refusal(message: string): DenormError {
  return new DenormError('template.extra', `${extraName}: ${message}`);
}

const table = ['Resources', 'Table', 'Properties'];
const filters = ['Properties', 'Events', 'Stream', 'Properties', 'FilterCriteria'];
/** What the rules need as it is: with other names they find nothing, and a mapping drops a record that passes no filter. */
const ruled = [
  ...['KeySchema', 'StreamSpecification', 'TimeToLiveSpecification'].map((name) => [...table, name]),
  ...streamFunctions.map((name) => ['Resources', name, ...filters]),
];

/**
 * Refuses an own part that takes from a stack what the rules need; more indexes are fine.
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

function splitOnce(text: string): readonly string[] {
  const [id = '', ...attribute] = text.split('.');
  return [id, attribute.join('.')];
}
