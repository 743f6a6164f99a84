import { styled, tableOf } from '../../src/cli/output/terminal.ts';
import { DenormError } from '../../src/model/errors.ts';

/** `unknown`: the service does not say, so nothing is proved. `off`: a parameter of the stack switches it off. */
export type Status = 'passed' | 'failed' | 'unknown' | 'off';

/** The result of one check. */
export interface Line {
  readonly check: string;
  readonly status: Status;
  /** What was found. Never item content. */
  readonly detail: string;
  /** What to do, if it failed. */
  readonly action?: string;
}

/** The results of a run, and the items that it could not remove. */
export interface Report {
  readonly stack: string;
  readonly table: string;
  /** Part of the key of every item that the run wrote. */
  readonly run: string;
  readonly passed: boolean;
  readonly lines: readonly Line[];
  readonly leftBehind: readonly string[];
}

/** Runs a check; an error becomes a failed line with the error's sentence, which names the permission or the remedy. */
export async function lineOf(check: string, look: () => Promise<Omit<Line, 'check'>>): Promise<Line> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    return { check, status: 'failed', detail: error.code, action: error.message };
  }
}

const shown: Readonly<Record<Status, () => string>> = {
  passed: () => styled('green', 'passed'),
  failed: () => styled('red', 'FAILED'),
  unknown: () => styled('yellow', 'not known here'),
  off: () => styled('dim', 'switched off'),
};

/** The report for people: a table, the advice for each failed line, the items that were left behind. */
export function reportText({ stack, table, run, lines, leftBehind }: Report): string {
  const failed = lines.filter(({ status }) => status === 'failed');
  const count = (status: Status) => lines.filter((line) => line.status === status).length;
  return [
    tableOf(
      ['check', 'result', 'found'],
      lines.map(({ check, status, detail }) => [check, shown[status](), detail]),
    ),
    ...failed.map(({ check, action }) => `${styled('red', 'FAILED')} ${check}: ${action ?? 'see above'}`),
    ...leftBehind.map((what) => `${styled('red', 'LEFT BEHIND')} ${what}`),
    `${count('passed')} passed, ${failed.length} failed, ${count('unknown')} not known here, ` +
      `${count('off')} switched off: stack ${stack}, table ${table}, run ${run}`,
  ].join('\n');
}
