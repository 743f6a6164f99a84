import * as z from 'zod';

/** An advisory of the registry about a package that users install. */
export interface Advisory {
  /** As GitHub numbers it, such as `GHSA-c2qf-rxjj-qqgw`. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** Advisories that do not concern this package, by their ids, each with the reason. */
export const accepted: Readonly<Record<string, string>> = {};

const viaSchema = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']),
});
const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  // A text names another package of the report, which has the advisory itself.
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), viaSchema])) })),
});

/**
 * The advisories of severity high or critical in what `npm audit --json` prints, each once; undefined if the registry did not
 * answer. Source: npm Docs, "npm-audit".
 */
export function advisoriesIn(output: string): readonly Advisory[] | undefined {
  const report = reportSchema.safeParse(parsed(output));
  if (!report.success) return undefined;
  const found = Object.values(report.data.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((one) => typeof one !== 'string')
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ name, title, url }) => ({ id: url.split('/').at(-1) ?? url, name, title }));
  return [...new Map(found.map((one) => [`${one.id} ${one.name}`, one])).values()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
