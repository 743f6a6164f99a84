import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { projectFolder, pythonTool } from '../../scripts/python-tools.ts';
import { emptySettings, runTool } from '../../scripts/sam.ts';
import { reasons } from './checkov-reasons.ts';
import { expandTo, toolSettings } from './expanded-template.ts';

/** What is wrong with a template, one line each: the check's id, the place, and what it says. */
export interface Findings {
  readonly samValidate: readonly string[];
  readonly cfnLint: readonly string[];
  /** Those without a written reason. */
  readonly checkov: readonly string[];
  /** The checks that found anything, with or without a reason. */
  readonly checkovIds: ReadonlySet<string>;
}

type Tool = 'samValidate' | 'cfnLint' | 'checkov';

/**
 * Everything that looks at a SAM template without deploying it. cfn-lint and checkov are shown the expanded one: of
 * functions and mappings, a SAM template says too little to them.
 * @param only the one of them that looks
 */
export async function findingsIn(templatePath: string, only?: Tool): Promise<Findings> {
  const isWanted = (tool: Tool) => only === undefined || only === tool;
  const folder = mkdtempSync(join(tmpdir(), 'denorm-expanded-'));
  try {
    const expanded = join(folder, 'expanded.json');
    const samValidate = isWanted('samValidate') ? validate(templatePath) : [];
    await expandTo(expanded, templatePath);
    const [cfnLint, failed] = await Promise.all([
      isWanted('cfnLint') ? lint(expanded) : [],
      isWanted('checkov') ? checkov(expanded) : [],
    ]);
    return {
      samValidate: await samValidate,
      cfnLint,
      checkov: failed.filter(({ id, resource }) => !isReasoned(id, resource)).map(({ line }) => line),
      checkovIds: new Set(failed.map(({ id }) => id)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function validate(templatePath: string): Promise<string[]> {
  const args = ['validate', '--lint', '--template-file', templatePath, '--config-file', emptySettings];
  const { code, output } = await runTool(pythonTool('sam', 'sam'), [...args, '--region', 'us-east-1'], {
    env: toolSettings,
  });
  return code === 0 ? [] : [output.trim()];
}

async function lint(expanded: string): Promise<string[]> {
  const args = ['--template', expanded, '--format', 'parseable', '--regions', 'us-east-1', 'eu-west-1'];
  const { code, output } = await runTool(pythonTool('sam', 'cfn-lint'), args, { env: toolSettings });
  const lines = output.split('\n').filter((line) => line !== '');
  return code !== 0 && lines.length === 0 ? [`cfn-lint ended with code ${code}`] : lines;
}

const report = z.object({
  results: z.object({
    failed_checks: z.array(
      z.object({ check_id: z.string(), check_name: z.string().nullish(), resource: z.string() }),
    ),
  }),
  summary: z.object({ passed: z.number().min(1), parsing_errors: z.literal(0) }),
});

async function checkov(expanded: string) {
  const folder = mkdtempSync(join(tmpdir(), 'denorm-checkov-'));
  try {
    const args = [
      '--file',
      expanded,
      '--framework',
      'cloudformation',
      '--skip-download',
      '--quiet',
      '--compact',
    ];
    const { output } = await runTool(
      pythonTool('checkov', 'checkov'),
      [...args, '--output', 'json', '--output-file-path', folder],
      { env: { ...toolSettings, LOG_LEVEL: 'ERROR' } },
    );
    const path = join(folder, 'results_json.json');
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      throw new Error(`Expected checkov to report, got:\n${output}`, { cause });
    }
    return report.parse(JSON.parse(text)).results.failed_checks.map(({ check_id, check_name, resource }) => ({
      id: check_id,
      resource,
      line: `${check_id} ${resource}: ${check_name ?? ''}`,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isReasoned(id: string, resource: string): boolean {
  const one = reasons[id];
  return (
    one !== undefined &&
    (one.resources === undefined || one.resources.includes(resource.split('.').at(-1) ?? ''))
  );
}

/** The project's template. */
export const projectTemplate = join(projectFolder, 'template.yaml');
