import { visible } from '../model/basics/text.ts';
import { attribute } from '../model/items/item.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import { pulledIndexes } from './index-keys.ts';
import { type Join, type Pair, sourceNames } from './joins.ts';
import { camelCase, reservedWords } from './key-words.ts';
import type { PulledKind } from './kinds.ts';
import type { Composed, Found, PulledRule, PulledRules, RootSource } from './rules.ts';

/** Where no rule follows from the items. A repetition in fewer of them may be chance. */
export const noRepeats =
  'No kind repeats an attribute of another in nine of ten items read: whether copies exist is not known.';

/** `src/kinds.ts`. Of values, it has only types and the text of keys. */
export function kindsSource(table: TableNames, kinds: readonly PulledKind[], rules: PulledRules): string {
  const named = new Map(
    kinds.map((kind) => [
      kind,
      new Set(
        rules.sure.filter(({ join }) => join.copy === kind).flatMap(({ join }) => [...sourceNames(join)]),
      ),
    ]),
  );
  return `import { defineKind } from 'stream-denormalizer';
import * as z from 'zod';

${kinds.map((kind) => kindSource(table, kind, named.get(kind) ?? new Set())).join('\n')}`;
}

function kindSource(table: TableNames, kind: PulledKind, named: ReadonlySet<string>): string {
  const { name, variable, type, pk, sk, items, notes } = kind;
  const indexes = pulledIndexes(table, kind);
  const isElectroDb = table.type === '__edb_e__';
  const isDerived = ({ pk, sk }: (typeof indexes)[number]) =>
    [...pk, ...sk].every(({ pattern }) => pattern !== undefined);
  const derived = isElectroDb ? [] : indexes.filter(isDerived);
  const ofIndexes = derived.flatMap(({ index }) => keyParts(index).names);
  const others = indexes.filter(
    (one) => !derived.includes(one) && [...one.pk, ...one.sk].some(({ pieces }) => pieces.length > 1),
  );
  const said = [
    ...notes,
    ...others.map(({ index }) =>
      isElectroDb
        ? `ElectroDB makes the keys of ${index.name}: derive nothing.`
        : items.length === 1
          ? `One item does not show what the keys of ${index.name} are made of.`
          : `Keys of ${index.name} do not follow from ids and attributes: your application makes them.`,
    ),
  ];
  const keys = derived.map(({ index, pk, sk }) => {
    const patterns = (parts: typeof pk) => {
      const texts = parts.map(({ pattern = '' }) => quoted(pattern));
      return texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
    };
    return `    ${property(index.name)}: { pk: ${patterns(pk)}${sk.length === 0 ? '' : `, sk: ${patterns(sk)}`} },\n`;
  });
  const left = new Set([
    ...keyParts(table).names,
    table.ttl,
    table.type,
    'ids',
    '__proto__',
    ...ofIndexes.filter((one) => !named.has(one)),
  ]);
  const names = [...new Set(items.flatMap(({ item }) => Object.keys(item)))]
    .filter((one) => !left.has(one))
    .toSorted();
  const schemas = names.map((one) => `    ${property(one)}: ${schemaOf(kind, one)},\n`);
  return `${comment([`Seen: ${items.length}.`, ...said].join(' '))}
export const ${variable} = defineKind({
  name: ${quoted(name)},
${type === undefined ? '' : `  type: ${quoted(type)},\n`}  pk: ${quoted(pk.pattern)},
${table.sk === undefined ? '' : `  sk: ${quoted(sk.pattern)},\n`}  attributes: z.object({
${schemas.join('')}  }),
${keys.length === 0 ? '' : `  keys: {\n${keys.join('')}  },\n`}});
`;
}

/** What a sample can show: the types, and whether some lack it. */
function schemaOf({ items }: PulledKind, name: string): string {
  const values = items.map(({ item }) => attribute(item, name));
  const schemas = new Set(
    values.flatMap((value) => {
      if (value === undefined) return [];
      if ('N' in value) {
        const isExact = /[.e]/i.test(value.N) || Number.isSafeInteger(Number(value.N));
        return isExact ? 'z.number()' : ['z.number()', 'z.string()'];
      }
      return zodOf[Object.keys(value)[0] ?? ''] ?? 'z.unknown()';
    }),
  );
  const texts = [...schemas].toSorted();
  const schema = texts.length === 1 ? texts[0] : `z.union([${texts.join(', ')}])`;
  return `${schema}${values.includes(undefined) ? '.optional()' : ''}`;
}

const zodOf: Readonly<Record<string, string>> = {
  S: 'z.string()',
  BOOL: 'z.boolean()',
  NULL: 'z.null()',
  B: 'z.instanceof(Uint8Array)',
  SS: 'z.set(z.string())',
  NS: 'z.set(z.number().or(z.string()))',
  BS: 'z.set(z.instanceof(Uint8Array))',
  L: 'z.array(z.unknown())',
  M: 'z.record(z.string(), z.unknown())',
};

/** `src/rules.ts`: sure rules as code, others as comments with their evidence. */
export function rulesSource({ sure, unsure, notes }: PulledRules, names: readonly string[]): string {
  const kinds = [...new Set(sure.flatMap(({ join }) => [join.root.variable, join.copy.variable]))].toSorted();
  const indexes = [...new Set(sure.flatMap(({ found }) => (found.in === 'index' ? [found.property] : [])))];
  const imports = [
    ...(sure.length === 0
      ? []
      : [
          "import { defineRule } from 'stream-denormalizer';",
          `import { ${kinds.join(', ')} } from './kinds.ts';`,
        ]),
    ...(indexes.length === 0 ? [] : ["import { table } from './table.ts';"]),
  ];
  const rules = sure.map((rule, at) => ruleSource(rule, names[at] ?? ''));
  const comments = [
    ...unsure.map(({ join, pairs, because }) =>
      visible(`// ${join.root.name} → ${join.copy.name}? ${evidenceOf(pairs)}: ${because}.`),
    ),
    ...notes.map((note) => visible(`// ${note}`)),
  ];
  const none = sure.length + comments.length === 0 ? [`// ${noRepeats}`] : [];
  const blocks = [imports.join('\n'), ...rules, [...none, ...comments].join('\n')].filter(
    (text) => text !== '',
  );
  return `${blocks.join('\n\n')}\n${sure.length === 0 ? '\nexport {};\n' : ''}`;
}

/** Names of attributes may have any character. */
function comment(text: string): string {
  return `/** ${visible(text).replaceAll('*/', '* /')} */`;
}

function evidenceOf(pairs: readonly Pair[]): string {
  return pairs
    .map(
      ({ from, to, equal, of, values }) =>
        `${from === to ? to : `${from} as ${to}`} equal in ${equal} of ${of}, ${values} value${values === 1 ? '' : 's'}`,
    )
    .join('; ');
}

/** Names of the rules in code, and in the config. */
export function ruleNames(rules: PulledRules): readonly string[] {
  return rules.sure.map(({ join }) => `${join.root.variable}On${join.copy.name}`);
}

function ruleSource(rule: PulledRules['sure'][number], name: string): string {
  const { join, pairs, found } = rule;
  const { root, copy } = join;
  const isRenamed = pairs.some(({ from, to }) => from !== to);
  const copies = isRenamed
    ? `{ ${pairs.map(({ from, to }) => `${property(from)}: ${quoted(to)}`).join(', ')} }`
    : `[${pairs.map(({ to }) => quoted(to)).join(', ')}]`;
  const ofRoot =
    found.in === 'key'
      ? [...new Set([...found.ids.values()].flatMap(({ name, is }) => (is === 'attribute' ? [name] : [])))]
      : [];
  const ofCopy = [...sourceNames(join)];
  const reads = [
    ...(ofRoot.length === 0 ? [] : [`root: [${ofRoot.map(quoted).join(', ')}]`]),
    ...(ofCopy.length === 0 ? [] : [`copy: [${ofCopy.map(quoted).join(', ')}]`]),
  ];
  return `${comment(`${evidenceOf(pairs)}.`)}
export const ${name} = defineRule({
  name: '${kebabCase(name)}',
  root: ${root.variable},
  copy: ${copy.variable},
${reads.length === 0 ? '' : `  reads: { ${reads.join(', ')} },\n`}  located: ${locatedSource(rule, found)},
  rootOf: ${rootOfSource(rule)},
  copies: ${copies},
  onDelete: 'keep',
  onExpire: 'keep',
});`;
}

function locatedSource({ join }: PulledRule, found: Found): string {
  const { root, copy } = join;
  const begins = 'begins' in found && found.begins !== '' ? `, begins: ${quoted(found.begins)}` : '';
  switch (found.in) {
    case 'partition':
      return `{ in: 'partition', at: ({ ids }) => ({ pk: ${copy.variable}.pk(${idsSource(join, found.ids)})${copy.sk.isNumeric ? '' : begins} }) }`;
    case 'index': {
      const pk = found.pk === 'root' ? `${root.variable}.pk(ids)` : composedSource(found.pk);
      return `{ in: 'index', index: table.indexes.${found.property}, at: ({ ids }) => ({ pk: ${pk}${begins} }) }`;
    }
    case 'key': {
      const attributes = [...found.ids.values()].flatMap(({ name, is }) =>
        is === 'attribute' ? [name] : [],
      );
      const usesIds = [...found.ids.values()].some(({ is }) => is === 'id');
      const given = [
        ...(usesIds ? ['ids'] : []),
        ...new Set(attributes.map((name) => parameter(join, name))),
      ];
      return `{ in: 'key', at: ({ ${given.join(', ')} }) => ${copy.variable}.key(${idsSource(join, found.ids)}) }`;
    }
  }
}

function rootOfSource({ join }: PulledRule): string {
  const { root, copy, naming } = join;
  const names = [...sourceNames(join)];
  const missing = names.filter((name) => copy.columns.get(name)?.includes(undefined));
  const guard =
    missing.length === 0
      ? ''
      : `${missing.map((name) => `${local(join, name)} === undefined`).join(' || ')} ? undefined : `;
  if (naming.by === 'key')
    return `({ ${parameter(join, naming.attribute)} }) => ${guard === '' ? '' : `(${guard}`}({ pk: ${local(join, naming.attribute)}, sk: ${quoted(root.sk.pattern)} })${guard === '' ? '' : ')'}`;
  const ids = root.ids.flatMap(({ name }) => {
    const source = naming.sources.get(name);
    if (source === undefined) return [];
    const isNumber = source.is === 'id' ? isNumericId(copy, source.name) : copy.numbers.has(source.name);
    const plain = source.is === 'id' ? `ids.${source.name}` : local(join, source.name);
    const lower = source.inLowerCase ? `${plain}.toLowerCase()` : plain;
    return `${name}: ${converted(lower, isNumber, isNumericId(root, name))}`;
  });
  const usesIds = [...naming.sources.values()].some(({ is }) => is === 'id');
  const given = [...(usesIds ? ['ids'] : []), ...names.map((name) => parameter(join, name))];
  const key = `${root.variable}.key({ ${ids.join(', ')} })`;
  return `({ ${given.join(', ')} }) => ${guard === '' ? key : `(${guard}${key})`}`;
}

/** The ids of a copy, of the root's. */
function idsSource(join: Join, ids: ReadonlyMap<string, RootSource>): string {
  const texts = [...ids].map(([id, { name, is }]) => {
    const isNumber = is === 'id' ? isNumericId(join.root, name) : join.root.numbers.has(name);
    const value = is === 'id' ? `ids.${name}` : local(join, name);
    return `${id}: ${converted(value, isNumber, isNumericId(join.copy, id))}`;
  });
  return `{ ${texts.join(', ')} }`;
}

function isNumericId({ pk, sk }: PulledKind, name: string): boolean {
  return [pk, sk].some(({ isNumeric, ids }) => isNumeric && ids.some((id) => id.name === name));
}

function converted(value: string, isNumber: boolean, toNumber: boolean): string {
  if (isNumber === toNumber) return value;
  return toNumber ? `Number(${value})` : `String(${value})`;
}

function composedSource(pieces: Composed): string {
  const texts = pieces.map((piece) =>
    typeof piece === 'string' ? piece.replace(/[\\`]|\$\{/g, '\\$&') : `\${ids.${piece.name}}`,
  );
  return `\`${texts.join('')}\``;
}

/** An attribute as a parameter, renamed if its name is no name in code, or one that the rule uses already. */
function parameter(join: Join, attribute: string): string {
  const name = local(join, attribute);
  return name === attribute ? name : `${property(attribute)}: ${name}`;
}

function local({ root, copy }: Join, attribute: string): string {
  const isFree = ![root.variable, copy.variable, 'ids', 'table', ...reservedWords].includes(attribute);
  return isFree && isIdentifier(attribute) ? attribute : `${camelCase(attribute)}Value`;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

export function property(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
