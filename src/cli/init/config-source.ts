import type { Names } from './names.ts';
import { importedName, type ListedRules, ruleFile, sampleParameters } from './samples.ts';

export function configSource({ rules, aggregates = [], archives }: ListedRules, tableName: string): string {
  const listed = [...rules, ...aggregates, ...archives];
  const parameters = [
    ...new Set(listed.flatMap((expression) => expression.match(/\b[A-Z]\w+/g) ?? [])),
  ].toSorted();
  const imports = listed
    .map((expression) => {
      const name = importedName(expression);
      return `import { ${name} } from './src/rules/${ruleFile(name)}';\n`;
    })
    .toSorted();
  return `import { defineConfig } from 'stream-denormalizer';
${parameters.length > 0 ? "import * as z from 'zod';\n" : ''}${imports.join('')}import { table } from './src/table.ts';

/** What every function and every command is given. */
export default defineConfig({
  table,
${parameters.length > 0 ? `  parameters: {\n${sampleParameters(parameters).join('\n')}\n  },\n` : ''}${list('rules', rules)}${aggregates.length > 0 ? list('aggregates', aggregates) : ''}${
  archives.length > 0 ? list('archives', archives) : ''
}  stages: {
    dev: { endpoint: 'http://127.0.0.1:8000', table: '${tableName}' },
  },
});
`;
}

function list(field: 'rules' | 'aggregates' | 'archives', expressions: readonly string[]): string {
  const used = [...new Set(expressions.join().match(/\b[A-Z]\w+/g))];
  const values = used.length === 0 ? '' : `({ ${used.join(', ')} }) => `;
  return `  ${field}: ${values}[${expressions.join(', ')}],\n`;
}

export function tableSource({ pk, sk, skType, ttl, type }: Names, indexes: readonly string[]): string {
  const entry = (name: string) => `{ name: '${name}', pk: '${name}PK', sk: '${name}SK', projection: 'ALL' }`;
  const single = `    byTeam: { name: 'by-team', pk: 'teamId', projection: 'ALL' },`;
  const lines =
    indexes.length > 0
      ? indexes.map((name) => `    ${name}: ${entry(name)},`)
      : [sk === false ? single : `    // GSI1: ${entry('GSI1')},`];
  const exported = sk === false ? ['byTeam'] : indexes;
  const sortKey = skType === 'N' ? `{ name: '${sk}', type: 'N' }` : `'${sk}'`;
  return `import type { TableNames } from 'stream-denormalizer';

/** Every name of the table that the code uses. After a change, \`npx denorm template\` writes it into the template. */
export const table = {
  pk: '${pk}',
${sk === false ? '' : `  sk: ${sortKey},\n`}  indexes: {
${lines.join('\n')}
  },
  ttl: '${ttl}',
  type: '${type}',
} as const satisfies TableNames;
${exported.length > 0 ? `\nexport const { ${exported.join(', ')} } = table.indexes;\n` : ''}`;
}
