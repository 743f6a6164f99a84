import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { author, comment, post, tagged } from './blog/test/items.ts';
import { startDev } from './dev.ts';
import { projectCopy } from './project-copy.ts';
import { shell, succeeds } from './shell.ts';

const blog = inject('blog');
const repository = fileURLToPath(new URL('../..', import.meta.url));
const functions = ['propagate', 'archive', 'fan-out', 'sweep', 'verify', 'heartbeat'];

describe('a project that is nobody’s sample', () => {
  test('passes its tests', async () => {
    const { code, stdout } = await shell('npm test', blog);

    expect({ code, passed: /Tests {2}(\d+) passed \(\d+\)/.exec(stdout)?.[1] }).toEqual({
      code: 0,
      passed: expect.stringMatching(/^[2-9]\d$/),
    });
  });

  test('compiles', async () => {
    expect(await shell('npm run -s types', blog)).toMatchObject({ code: 0, stdout: '' });
  });

  test('does not compile with a misspelt attribute: the package has types', async () => {
    const project = await projectCopy(blog);
    await succeeds(`sed -i "s/\\['title'\\]/['titel']/" src/rules/title-on-comments.ts`, project);
    const { code, stdout } = await shell('npm run -s types', project);

    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('title-on-comments.ts') });
  });

  test('compiles with the example of docs/reading.md', async () => {
    const project = await projectCopy(blog);
    const page = readFileSync(join(project, 'node_modules/stream-denormalizer/docs/reading.md'), 'utf8');
    const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? [];
    writeFileSync(join(project, 'src/closed-incidents.ts'), example);

    expect(example).toContain('mergedPages({');
    expect(await shell('npm run -s types', project)).toMatchObject({ code: 0, stdout: '' });
  });

  test('finds nothing wrong with itself', async () => {
    expect(await shell('npm run -s check', blog)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked .+: 0 findings\n$/),
    });
  });

  test('converges under `denorm dev`, by the names of its own table', async () => {
    const dev = await startDev(blog, 'blog');
    try {
      const { tag_pk: _, ...untagged } = tagged;
      await dev.put(author, post, { ...comment, author_name: 'A', title: 'E' }, { ...untagged, title: 'E' });
      await dev.holds(comment, { author_name: 'Ada', title: 'Engines' });
      await dev.holds(tagged, { title: 'Engines', tag_pk: 'tag#history#published' });

      await dev.put({ ...author, name: 'Ada Lovelace' });
      await dev.holds(post, { author_name: 'Ada Lovelace' });
      await dev.holds(comment, { author_name: 'Ada Lovelace', title: 'Engines' });
    } finally {
      expect(await dev.stop()).toBe(0);
    }
    expect(dev.stdout()).toMatch(/^author-name-on-posts {2}\{"pk":"author#ada","sk":"profile"\} {2}/m);
  });

  test.each(functions)('has a bundle of %s that is larger by what zod/mini lacks of zod', async (name) => {
    const more = (await bundleSize(blog, name)) - (await bundleSize(repository, name));

    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThan(70_000);
  });
});

/** With the settings of the template. */
async function bundleSize(project: string, name: string): Promise<number> {
  const { outputFiles } = await build({
    ...{ entryPoints: [join(project, 'handlers', `${name}.ts`)], absWorkingDir: project, bundle: true },
    ...{ platform: 'node', format: 'esm', target: 'node24', minify: true, mainFields: ['module', 'main'] },
    ...{ write: false, logLevel: 'error' },
  });
  return outputFiles[0]?.contents.length ?? 0;
}

describe('the next version of the package', () => {
  test('replaces this one without an edit of the project', async () => {
    const project = await projectCopy(blog, 'own');
    await succeeds(`npm i --prefer-offline '${inject('nextTarball')}' && npx denorm template`, project);
    const changed = await succeeds("git diff -U0 -- . ':!package.json' ':!package-lock.json'", project);
    const lines = changed.split('\n').filter((line) => /^[+-](?![+-])/.test(line));

    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^[+-]# .*\d+\.\d+\.\d+/);
    expect(await shell('npm test && npm run -s types && npx denorm check --no-types', project)).toMatchObject(
      { code: 0 },
    );
  });
});
