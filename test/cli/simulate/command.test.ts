import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newFolder } from '../../suites/new-folder.ts';
import { run, start, until } from '../denorm.ts';

const blog = fileURLToPath(new URL('../../fixtures/testing/blog.ts', import.meta.url));
const wrongRules = fileURLToPath(new URL('../../fixtures/testing/wrong-rules.ts', import.meta.url));

const answer = z.object({
  kept: z.boolean(),
  seeds: z.number(),
  failures: z.array(
    z.object({
      seed: z.number(),
      broken: z.array(z.object({ promise: z.number(), what: z.string(), where: z.string() })),
      steps: z.array(z.string()),
    }),
  ),
});

describe('denorm simulate', () => {
  test('keeps every promise for the rules of a project, and counts what was played', async () => {
    const { code, stdout, stderr } = await simulate('blog', '--seeds', '12');

    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^written: author-on-posts \d+, .*\n12 seeds, \d+ steps, \d+ requests, \d+ faults played in \d+ s; every promise kept\n$/,
    );
    expect(code).toBe(0);
  });

  test('shows the steps that matter, the broken promise and the seed, ends after three failing seeds, and exits 1', async () => {
    const { code, stdout } = await simulate('blogWith([unsteady])', '--seeds', '5000');

    expect(stdout).toMatch(/^seed \d+ fails after \d+ steps, \d+ of which matter/);
    expect(stdout).toMatch(/\n {2}promise [1-8]: /);
    expect(stdout).toMatch(/replay it with: denorm simulate --seed \d+ --seeds 1\n/);
    expect(Number(/^(\d+) seeds, /m.exec(stdout)?.[1])).toBeLessThan(5000);
    expect(stdout).toMatch(
      / s; \d+ seeds broke a promise; left the other seeds after 3 that fail: correct the rules, then simulate again; exits 1, because a promise is broken\n$/,
    );
    expect(code).toBe(1);
  });

  test.each([
    [[], /\n\d+ seeds?, .*; no promise broken; exits 1, because it has not come to its end\n$/],
    [['--json'], /^\{"summary":\{"kept":false,"interrupted":true,/],
  ])('does not say after Ctrl-C that it kept every promise: %j', async (more, expected) => {
    const file = configOf(`isMainThread ? blog : (writeFileSync('begun', ''), blog)`);
    const simulation = start(['--config', file, 'simulate', '--seeds', '100000', ...more], dirname(file));
    await until(() => existsSync(join(dirname(file), 'begun')), 'a thread');
    simulation.process.kill('SIGINT');

    expect(await simulation.exited).toBe(1);
    expect(simulation.stdout()).toMatch(expected);
  });

  test('gives the same seed the same steps, as JSON', async () => {
    const failuresOf = async (...seeds: string[]) =>
      answer.parse(JSON.parse((await simulate('blogWith([unsteady])', ...seeds, '--json')).stdout).summary);
    const { failures } = await failuresOf('--seeds', '5000');
    const seed = failures[0]?.seed ?? expect.fail('no failing seed');
    // The rule counts the calls of its process: only a process that plays no other seed can repeat its values.
    const [once, again] = [
      await failuresOf('--seeds', '1', '--seed', String(seed)),
      await failuresOf('--seeds', '1', '--seed', String(seed)),
    ];

    expect(once).toMatchObject({ kept: false, seeds: 1, failures: [{ seed }] });
    expect(again).toEqual(once);
  });

  test('asks for examples of what it cannot make, in one sentence, and exits 2', async () => {
    const { code, stderr } = await simulate(
      wrong('a schema has a refinement that no value passes by chance'),
    );

    expect(stderr).toMatch(
      /^denorm: usage\.examples: Expected to make values of 'text' of Checked from its schema, .*\n$/,
    );
    expect(code).toBe(2);
  });

  test('names a rule that cannot work before it plays a seed', async () => {
    const { code, stdout } = await simulate(wrong('rootOf never leads to a root'));

    expect(stdout).toBe(
      'Rule post-on-comments: no copy that located.at finds leads back to its root: rootOf gives the key of another item. Correct rootOf or located\n',
    );
    expect(code).toBe(1);
  });

  test('proves nothing without a small world, and names the rules that it has none for', async () => {
    const { code, stdout } = await simulate('blogWith([markOnStamp])', '--exhaustive');

    expect(stdout).toContain('not tried: mark-on-stamp: ');
    expect(code).toBe(1);
  });

  test('proves nothing if one of the rules has no small world', async () => {
    const { code, stdout } = await simulate('blogWith([markOnStamp, postOnComments])', '--exhaustive');

    expect(stdout).toMatch(/\n5 of 5 worlds finished, .*: no violation\nnot tried: mark-on-stamp: /);
    expect(code).toBe(1);
  });

  test('keeps no promise of a rule that wrote nothing: it names the rule, and exits 1', async () => {
    const playing = (seed: number) => simulate('blog', '--seeds', '1', '--seed', String(seed));
    // In one seed, hardly ever does each rule write something.
    let { code, stdout } = await playing(1);
    for (let seed = 2; code === 0 && seed < 20; seed += 1) ({ code, stdout } = await playing(seed));
    const [, rule] = /^not tried: ([a-z-]+)/m.exec(stdout) ?? [];

    expect(stdout).toContain(`${rule} 0`);
    expect(stdout).toMatch(
      /: nothing was written\. Give their kinds examples that differ .*, or play more seeds\n/,
    );
    expect(stdout).toMatch(/\n1 seed, .*; no promise broken; exits 1, because not every rule was tried\n$/);
    expect(code).toBe(1);
  });

  test('refuses options that are no numbers', async () => {
    const { code, stderr } = await simulate('blog', '--seeds', 'many');

    expect(stderr).toContain('Expected a whole number from 1 up.');
    expect(code).toBe(2);
  });
});

function wrong(name: string): string {
  return `blogWith(wrongRules.find((one) => one.name === '${name}').rules)`;
}

/** Runs the command in a project whose config is this expression. */
function simulate(config: string, ...args: string[]) {
  const file = configOf(config);
  return run(['--config', file, 'simulate', ...args], dirname(file));
}

/** The file, in a project of its own. */
function configOf(config: string): string {
  const project = newFolder();
  const file = join(project, 'denorm.config.ts');
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { blog, blogWith, markOnStamp, postOnComments } from '${blog}';
import { unsteady, wrongRules } from '${wrongRules}';
export default ${config};
`,
  );
  return file;
}
