import { keyText } from '../../src/model/items/item.ts';
import type { Line, Ran } from './command.ts';
import type { Wrong } from './drifted-items.ts';

/** Whether a repair mends it, unless it is allowed more than usual. */
export function isMended({ kind, unmapped }: Wrong): boolean {
  return (kind === 'differs' || kind === 'derived') && !unmapped;
}

/** What runs found, as texts, each once: what a run had not kept when it was killed is found again by the next. */
export function foundBy(...runs: readonly Ran[]): string[] {
  const found = runs.flatMap(({ lines }) => lines.flatMap((line) => textOfLine(line) ?? []));
  return [...new Set(found)].toSorted();
}

function textOfLine({ finding, rule = '', copy = {} }: Line): string | undefined {
  const key = { pk: copy['PK'] ?? '', sk: copy['SK'] ?? '' };
  return finding === undefined ? undefined : `${rule} ${finding} ${keyText(key)}`;
}
