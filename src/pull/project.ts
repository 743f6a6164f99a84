import { type Item, type ItemKey, type KeyedItem, keyed } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import { askedRoots } from './asked-roots.ts';
import { typeAttributeOf } from './clusters.ts';
import { type PulledKind, pulledKinds } from './kinds.ts';
import { idNamesBy, pulledRules } from './rules.ts';
import { kindsSource, property, quoted, ruleNames, rulesSource } from './sources.ts';

interface Pulled {
  readonly items: readonly Item[];
  readonly table: TableNames;
  /** How the stage of `denorm dev` calls it. */
  readonly tableName: string;
  /** What the items are of, for the files' comments. */
  readonly from: string;
  /** Undefined: the one that the items show. */
  readonly type: string | undefined;
  /** Whether the names of the table follow from items alone. */
  readonly isGuessed: boolean;
  /** Finds the items of the table that have these keys; undefined if the items are all. */
  readonly find: ((keys: readonly ItemKey[]) => Promise<readonly KeyedItem[]>) | undefined;
}

/** The sources of a project for a table of which items are known. Of their values, they have types and the text of keys. */
export async function pulledSources(pulled: Pulled) {
  const { items, table: described, tableName, from, type: given, isGuessed, find } = pulled;
  const read = items.map((item) => keyed(described, item));
  const type = given ?? typeAttributeOf(described, read);
  const table = { ...described, type: type ?? described.type };
  const asked = find === undefined ? undefined : askedRoots(table, read, type);
  const all = [...read, ...((await find?.(asked?.keys ?? [])) ?? [])];
  const rulesOf = (kinds: readonly PulledKind[]) => pulledRules(table, kinds, asked?.copies);
  // A rule may say what an id is: then it is called after that.
  const kinds = pulledKinds(table, all, type, idNamesBy(rulesOf(pulledKinds(table, all, type))));
  const rules = rulesOf(kinds);
  const names = ruleNames(rules);
  const variables = kinds.map(({ variable }) => variable);
  return {
    counts: {
      kinds: kinds.length,
      rules: rules.sure.length,
      doubtful: rules.unsure.length + rules.notes.length,
    },
    /** Whether no attribute has a value twice, so that nothing can be known of copies. */
    hasRepeats: rules.sure.length + rules.unsure.length > 0,
    config: configSource(names, variables, tableName),
    table: tableSource(table, isGuessed),
    kinds: `// From ${from}: a sample shows neither every kind nor every type.\n${kindsSource(table, kinds, rules)}`,
    rules: rulesSource(rules, names),
  };
}

function configSource(rules: readonly string[], kinds: readonly string[], tableName: string): string {
  const ofRules = rules.length === 0 ? '' : `import { ${rules.join(', ')} } from './src/rules.ts';\n`;
  return `import { defineConfig } from 'stream-denormalizer';
import { ${kinds.join(', ')} } from './src/kinds.ts';
${ofRules}import { table } from './src/table.ts';

/** What every function and every command is given. */
export default defineConfig({
  table,
  kinds: [${kinds.join(', ')}],
  rules: [${rules.join(', ')}],
  stages: {
    dev: { endpoint: 'http://127.0.0.1:8000', table: '${tableName}' },
  },
});
`;
}

function tableSource(table: TableNames, isGuessed: boolean): string {
  const about = isGuessed
    ? 'An export does not say them: compare keys, indexes and TTL attribute with those of the table'
    : 'Every name of the table that the code uses';
  return `import type { TableNames } from 'stream-denormalizer';

/** ${about}. After a change, \`npx denorm template\` writes it into the template. */
export const table = ${literal(table, '')} as const satisfies TableNames;
`;
}

/** Names as code: text, lists and objects. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent)).join(', ')}]`;
  const entries = Object.entries(value ?? {}).map(([name, one]) => [property(name), one] as const);
  if (entries.length === 0) return '{}';
  if (entries.every(([, one]) => typeof one === 'string') && indent !== '')
    return `{ ${entries.map(([name, one]) => `${name}: ${literal(one, indent)}`).join(', ')} }`;
  return `{\n${entries.map(([name, one]) => `${indent}  ${name}: ${literal(one, `${indent}  `)},\n`).join('')}${indent}}`;
}
