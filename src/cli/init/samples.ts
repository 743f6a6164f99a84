import { posix } from 'node:path';
import { packageFile } from './package-files.ts';

export interface ListedRules {
  /** Expressions such as `archiveOrders(StatusShards, SweepAfterDays)`. */
  readonly rules: readonly string[];
  readonly aggregates?: readonly string[];
  readonly archives: readonly string[];
}

/** The samples of `init`: rules that this repository deploys itself. Each is in the file of its name in `src/rules`. */
export const samples = {
  incidents: {
    rules: ['incidentOnParticipations'],
    archives: ['archiveIncidents(SweepAfterDays)'],
  },
  chat: {
    rules: ['usernameOnMemberships'],
    archives: [],
  },
  shop: {
    rules: ['orderStatusKeys(StatusShards)', 'orderOnUserOrder', 'orderDateOnItems'],
    archives: ['archiveOrders(StatusShards, SweepAfterDays)', 'archiveProfiles'],
  },
  votes: {
    rules: ['leaderboardKeys'],
    aggregates: ['contenderTotals'],
    archives: [],
  },
} as const satisfies Readonly<Record<string, ListedRules>>;

export type SampleName = keyof typeof samples;

/** The name that an expression of a config imports. */
export function importedName(expression: string): string {
  return expression.replace(/\(.*/, '');
}

export function ruleFile(name: string): string {
  return `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

/** The test of a sample's rules, their sources, and all that these import, by their paths in a project. */
export function sampleSources(name: SampleName): Map<string, string> {
  const { rules, aggregates = [], archives }: ListedRules = samples[name];
  const test = `test/rules/${name}.test.ts`;
  const sources = new Map([[test, packageFile(test)]]);
  const waiting = [...rules, ...aggregates, ...archives].map(
    (expression) => `src/rules/${ruleFile(importedName(expression))}`,
  );
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sources.has(path)) continue;
    const text = packageFile(path);
    sources.set(path, text);
    for (const [, imported = ''] of text.matchAll(/ from '(\.\/[^']+)'/g))
      waiting.push(posix.join(posix.dirname(path), imported));
  }
  return new Map([...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function sampleParameters(names: readonly string[]): readonly string[] {
  const config = packageFile('denorm.config.ts');
  return names.map((name) => {
    const [definition] = new RegExp(`^ {4}${name}: z[^]*?,\\n(?= {2,4}[}\\w])`, 'm').exec(config) ?? [];
    if (definition === undefined) throw new Error(`Expected the parameter ${name} in denorm.config.ts`);
    return definition.trimEnd();
  });
}
