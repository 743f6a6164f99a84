import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineRule } from '../../src/model/define-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import type { Rule } from '../../src/model/rule.ts';
import { refusal } from '../suites/refusal.ts';

const post = defineKind({
  name: 'Post',
  pk: 'POST#{post}',
  sk: 'POST',
  attributes: z.object({ Title: z.string(), Status: z.string() }),
});
const comment = defineKind({
  name: 'Comment',
  pk: 'POST#{post}',
  sk: 'COMMENT#{comment}',
  attributes: z.object({ Title: z.string(), Writer: z.string(), Label: z.string() }),
});

const right = {
  name: 'title-on-comments',
  root: post,
  copy: comment,
  located: { in: 'partition', at: () => ({ pk: 'p' }) },
  rootOf: () => undefined,
  copies: ['Title'],
  onDelete: 'keep',
  onExpire: 'keep',
} as const;

/** As a file whose types nobody checked. */
function untyped(change: Readonly<Record<string, unknown>>): Rule {
  const spec = Object.entries({ ...right, ...change }).filter(([, value]) => value !== undefined);
  return defineRule(Object.fromEntries(spec) as unknown as typeof right);
}

describe('a rule whose types nobody checked', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'it reads an attribute of the root that no schema lists',
      { reads: { root: ['Titel'] } },
      "reads.root of rule title-on-comments to name attributes that the schema of Post lists, got 'Titel': did you mean 'Title'?",
    ],
    [
      'it reads an attribute of the copy that no schema lists',
      { reads: { copy: ['writer'] } },
      "reads.copy of rule title-on-comments to name attributes that the schema of Comment lists, got 'writer': did you mean 'Writer'?",
    ],
    [
      'it copies an attribute that only the root lists',
      { copies: ['Status'] },
      "copies of rule title-on-comments to name attributes that the schema of Comment lists, got 'Status': it has Title, Writer, Label",
    ],
    [
      'it copies an attribute that only the copy lists',
      { copies: ['Writer'] },
      "copies of rule title-on-comments to name attributes that the schema of Post lists, got 'Writer': it has Title, Status",
    ],
    [
      'it derives an attribute that no schema lists',
      { derive: { Lable: () => 'x' } },
      "derive of rule title-on-comments to name attributes that the schema of Comment lists, got 'Lable': did you mean 'Label'?",
    ],
    [
      'it leaves an attribute to the copy that no schema lists',
      { copies: 'all', own: ['Writter'] },
      "own of rule title-on-comments to name attributes that the schema of Comment lists, got 'Writter': did you mean 'Writer'?",
    ],
  ])('is refused if %s', (_, change, message) => {
    expect(refusal(() => untyped(change))).toMatchObject({
      name: 'RuleError',
      code: 'rule.unknown-attribute',
      rule: 'title-on-comments',
      message: `Expected ${message}`,
    });
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'is misspelt',
      { onDelte: 'keep' },
      "field of rule title-on-comments, got 'onDelte': did you mean 'onDelete'?",
    ],
    [
      'is misspelt in reads',
      { reads: { copi: ['Writer'] } },
      "field of reads of rule title-on-comments, got 'copi': did you mean 'copy'?",
    ],
    [
      'is misspelt in located',
      { located: { in: 'partition', att: () => ({ pk: 'p' }) } },
      "field of located of rule title-on-comments, got 'att': did you mean 'at'?",
    ],
    [
      'belongs to another location',
      { located: { in: 'itself', at: () => ({ pk: 'p' }) } },
      "field of located of rule title-on-comments, got 'at': it has in",
    ],
  ])('is refused if a field %s', (_, change, message) => {
    expect(refusal(() => untyped(change))).toMatchObject({
      code: 'rule.unknown-field',
      rule: 'title-on-comments',
      message: `Expected a ${message}`,
    });
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'onDelete is missing',
      { onDelete: undefined },
      "onDelete of rule title-on-comments to be 'delete', 'clear' or 'keep', got none: add it",
    ],
    [
      'onExpire is missing',
      { onExpire: undefined },
      "onExpire of rule title-on-comments to be 'delete', 'clear' or 'keep', got none: add it",
    ],
    [
      'onDelete is another word',
      { onDelete: 'forget' },
      "onDelete of rule title-on-comments to be 'delete', 'clear' or 'keep', got 'forget': correct it",
    ],
    [
      'located.in is another word',
      { located: { in: 'partion', at: () => ({ pk: 'p' }) } },
      "in of located of rule title-on-comments to be 'partition', 'index', 'key', 'keys' or 'itself', got 'partion': correct it",
    ],
    [
      'its location has no at',
      { located: { in: 'key' } },
      'at of located of rule title-on-comments to be a function, got none: add it',
    ],
    [
      'its index is undefined',
      { located: { in: 'index', index: undefined, at: () => ({ pk: 'p' }) } },
      "index of located of rule title-on-comments to be an index of the table, { name, pk, sk }, and projection: 'ALL' if it holds whole items, got none: add it",
    ],
    [
      'located is missing',
      { located: undefined },
      'located of rule title-on-comments to be an object, got none: add it',
    ],
    [
      'its root is undefined',
      { root: undefined },
      'root of rule title-on-comments to be what defineKind returns, got none: check its import',
    ],
    [
      'its copy is no kind',
      { copy: 'Comment' },
      "copy of rule title-on-comments to be what defineKind returns, got 'Comment': check its import",
    ],
    [
      'rootOf is no function',
      { rootOf: post.key({ post: '1' }) },
      'rootOf of rule title-on-comments to be a function, got an object: correct it',
    ],
    [
      'copies is one attribute',
      { copies: 'Title' },
      "copies of rule title-on-comments to be a list of attributes, or 'all', got 'Title': correct it",
    ],
    [
      'a derivation is no function',
      { derive: { Label: 'x' } },
      "derive of rule title-on-comments to be a function for each attribute, got 'x' for Label: correct it",
    ],
    [
      'unknown is another word',
      { copies: 'all', unknown: 'drop' },
      "unknown of rule title-on-comments to be 'keep' or 'remove', got 'drop': correct it",
    ],
    [
      'reads is a list',
      { reads: ['Title'] },
      'reads of rule title-on-comments to be an object, got an array: correct it',
    ],
  ])('is refused if %s', (_, change, message) => {
    expect(refusal(() => untyped(change))).toMatchObject({
      code: 'rule.invalid-field',
      rule: 'title-on-comments',
      message: `Expected ${message}`,
    });
  });

  test('is refused without a name', () => {
    expect(refusal(() => untyped({ name: undefined })).message).toBe(
      "Expected name of a rule to be words in lower case with hyphens, such as 'author-on-posts', got none: add it",
    );
  });
});
