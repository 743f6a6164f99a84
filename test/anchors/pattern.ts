import type { Token } from './definitions.ts';

/** Where a pattern matches, and what its placeholders stand for there. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly placeholders: ReadonlyMap<string, string>;
}

/**
 * Where a pattern matches whole tokens. White space, line breaks, comments and a trailing comma do not matter.
 * `$name` in the pattern is a placeholder: it matches any one identifier, the same one wherever it occurs again.
 */
export function matchesOf(pattern: string, tokens: readonly Token[]): Match[] {
  return tokens.flatMap((_, first) => matchAt(pattern.trim(), tokens, first) ?? []);
}

/**
 * A replacement with its placeholders filled in.
 * @throws Error where it names a placeholder that the pattern did not have
 */
export function filledIn(replacement: string, placeholders: ReadonlyMap<string, string>): string {
  return replacement.replaceAll(/\$[A-Za-z]\w*/g, (name) => {
    const text = placeholders.get(name);
    if (text === undefined) throw new Error(`Expected the pattern to have ${name}, as its replacement does`);
    return text;
  });
}

function matchAt(pattern: string, tokens: readonly Token[], first: number): Match | undefined {
  const placeholders = new Map<string, string>();
  let at = 0;
  for (let index = first; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) return undefined;
    const start = token.is === 'template' ? at : at + spaceAt(pattern, at);
    const length = consumed(pattern.slice(start), token, placeholders);
    if (length === undefined) {
      if (index > first && isTrailingComma(token, tokens[index + 1])) continue;
      return undefined;
    }
    at = start + length;
    if (at === pattern.length) return { start: tokens[first]?.start ?? 0, end: token.end, placeholders };
  }
  return undefined;
}

/** How much of the pattern's rest this token matches; undefined where it does not. */
function consumed(rest: string, { text, is }: Token, placeholders: Map<string, string>): number | undefined {
  const [placeholder] = /^\$[A-Za-z]\w*/.exec(rest) ?? [];
  if (placeholder !== undefined && is === 'name') {
    const known = placeholders.get(placeholder) ?? text;
    placeholders.set(placeholder, known);
    return known === text ? placeholder.length : undefined;
  }
  if (!rest.startsWith(text)) return undefined;
  const endsInWord = is !== 'template' && /\w$/.test(text) && /^\w/.test(rest.slice(text.length));
  return endsInWord ? undefined : text.length;
}

function spaceAt(pattern: string, at: number): number {
  return /^\s*/.exec(pattern.slice(at))?.[0].length ?? 0;
}

function isTrailingComma({ text }: Token, next: Token | undefined): boolean {
  return text === ',' && next !== undefined && [')', ']', '}'].includes(next.text);
}
