import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../python-tools.ts';

const code = '([a-z]+(?:-[a-z]+)*)[.][a-z]+(?:-[a-z]+)*';

/** Every error code of the source, in order. */
export function errorCodes(): readonly string[] {
  const source = globSync('src/**/*.ts', { cwd: projectFolder })
    .map((path) => readFileSync(join(projectFolder, path), 'utf8'))
    .join('\n');
  // Names of files and of fields look like codes; no sentence follows those with their first words.
  const beforeSentences = source.matchAll(new RegExp(`'${code}',\\s*['\`][^'\`\\n]* `, 'g'));
  const subjects = new Set([...beforeSentences].map(([, subject]) => subject));
  const literals = [...source.matchAll(new RegExp(`'(${code})'`, 'g'))]
    .filter(([, , subject]) => subjects.has(subject))
    .map(([, one = '']) => one)
    .filter((one) => !/\.(ts|json|at|html|db)$/.test(one));
  return [...new Set(literals)].sort();
}
