import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DenormError } from '../model/basics/errors.ts';
import { typeOf } from '../model/basics/type-of.ts';
import { UsageError } from './errors.ts';

/**
 * What is wrong with a project's file that does not load, and what to write instead; the error itself, if it is no mistake that
 * Node makes of TypeScript. Node runs a project's files as they are: it removes types, resolves no extension and compiles nothing.
 */
export function loadError(error: unknown): unknown {
  if (!(error instanceof Error))
    return new UsageError(
      'usage.project',
      `Expected the project's files to load, but one of them threw ${typeOf(error)} instead of an Error: throw an Error, whose stack says where`,
    );
  const sentence =
    missingFile(error.message) ??
    missingPackage(error.message) ??
    notErasable(error) ??
    missingExport(error) ??
    thrownByFile(error);
  return sentence === undefined ? error : new UsageError('usage.project', sentence, { cause: error });
}

function missingFile(message: string): string | undefined {
  const [, path = '', importer = ''] =
    /^(?:Cannot find module|Directory import) '(\/[^']+|[A-Z]:[^']+)'.* imported from (.+)$/m.exec(message) ??
    [];
  if (path === '') return undefined;
  const meant = [`${path}.ts`, path.replace(/\.m?js$/, '.ts'), join(path, 'index.ts')].find(
    (file) => file !== path && existsSync(file),
  );
  if (meant === undefined)
    return `Expected a file at ${path}, which ${importer} imports, found none: correct the import`;
  const specifier = (file: string) => `'./${relative(dirname(importer), file)}'`.replace("'./../", "'../");
  return `Expected imports that name the file with its extension, because Node resolves none, got ${specifier(path)} in ${importer}: write ${specifier(meant)}`;
}

function missingPackage(message: string): string | undefined {
  const [, name, importer] = /^Cannot find package '([^']+)' imported from (.+)$/m.exec(message) ?? [];
  return name === undefined
    ? undefined
    : `Expected the package '${name}', which ${importer} imports, in node_modules, found none: run \`npm install\`, or \`npm install ${name}\``;
}

function notErasable(error: Error): string | undefined {
  const [, what] = /^TypeScript (.+) is not supported in strip-only mode/m.exec(error.message) ?? [];
  if (what === undefined) return undefined;
  const instead: Readonly<Record<string, string>> = {
    enum: 'write an object `as const`, or a union of literals',
    'parameter property': 'declare the property, and assign it in the constructor',
  };
  return `Expected TypeScript whose types can be left out, because Node compiles nothing, got ${article(what)} in ${place(error)}: ${
    instead[what] ?? 'write it in JavaScript'
  }; \`"erasableSyntaxOnly": true\` in tsconfig.json makes \`tsc\` report it`;
}

function missingExport(error: Error): string | undefined {
  const [, module, name] =
    /^The requested module '([^']+)' does not provide an export named '([^']+)'/m.exec(error.message) ?? [];
  return name === undefined
    ? undefined
    : `Expected '${module}' to export ${name}, which ${place(error)} imports, found no such value: if it is a type, write \`import type\`, or \`type ${name}\` within the braces`;
}

/** What the project's code calls while it loads. */
const ownModel = fileURLToPath(new URL('../model/', import.meta.url));

/** An error of the project's own code. Its message may be told: no item has been read yet. */
function thrownByFile(error: Error): string | undefined {
  const source = sourceOf(error);
  if (error instanceof DenormError || (source === undefined && 'code' in error)) return undefined;
  const frames = [...(error.stack ?? '').matchAll(/^ +at (?:.*\()?(?:file:\/\/)?(\/[^()\n]+:\d+:\d+)\)?$/gm)];
  const at = frames.map(([, frame = '']) => frame).find((frame) => !frame.startsWith(ownModel));
  const where = source === undefined ? (at ?? 'one of them') : place(error);
  return `Expected the project's files to load, but ${where} threw ${error.name}: ${error.message.split('\n', 1)}`;
}

function sourceOf(error: Error): string | undefined {
  return error instanceof SyntaxError ? /^file:\/\/\S+:\d+$/m.exec(error.stack ?? '')?.[0] : undefined;
}

function place(error: Error): string {
  const source = sourceOf(error);
  return source === undefined
    ? 'a file of the project'
    : fileURLToPath(source.replace(/:\d+$/, '')) + source.slice(source.lastIndexOf(':'));
}

function article(what: string): string {
  return `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;
}
