import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { patternOf } from '../../../src/model/kinds/placeholders.ts';

type View = Parameters<Parameters<typeof patternOf>[0]>[0];

const title = (view: View) => String(view['title']);

describe('the pattern of a function', () => {
  test('names each attribute and ID where the function places it', () => {
    expect(patternOf((view) => `${view.ids['post']}#${title(view)}#${title(view)}`)).toBe(
      '{post}#{title}#{title}',
    );
  });

  test('names the element of a list', () => {
    const ofEach = (view: View) => (view['tags'] as readonly string[]).map((tag) => `TAG#${tag}`).join();
    expect(patternOf(ofEach, new Set(['tags']))).toBe('TAG#{each of tags}');
  });

  test.each([
    ['lower case', (text: string) => text.toLowerCase()],
    ['upper case', (text: string) => text.toUpperCase()],
    ['a part', (text: string) => text.slice(0, 7)],
    ['the end', (text: string) => text.slice(-1)],
    ['no spaces around', (text: string) => text.trim()],
    ['a fixed length', (text: string) => text.padStart(8, '0')],
    ['one of its words', (text: string) => text.split(' ')[0]],
    ['what a separator ends', (text: string) => text.split('#')[0]],
    ['the date of a time', (text: string) => text.split(':')[0]],
    ['hyphens for spaces', (text: string) => text.replaceAll(' ', '-')],
    ['letters and digits only', (text: string) => text.replaceAll(/[^a-zA-Z0-9]/g, '')],
    ['one normal form', (text: string) => text.normalize('NFKD')],
    ['a number', (text: string) => String(Number(text) + 1)],
    ['base64', (text: string) => Buffer.from(text).toString('base64')],
  ])('is missing if it makes %s of a value', (_, changed) => {
    expect(patternOf((view) => `POST#${changed(title(view))}`)).toBeUndefined();
  });

  test('names a number where the function places it', () => {
    expect(patternOf((view) => `SCORE#${view['score']}#${title(view)}`)).toBe('SCORE#{score}#{title}');
  });

  test('is missing if a value that is not placed may choose between texts', () => {
    expect(
      patternOf((view) => (view['state'] === 'OPEN' ? `OPEN#${title(view)}` : `CLOSED#${title(view)}`)),
    ).toBeUndefined();
  });

  test('is missing if the function needs a real item', () => {
    expect(patternOf((view) => new Date(title(view)).toISOString())).toBeUndefined();
  });

  test('does not depend on which characters a key refuses in an ID', () => {
    const post = defineKind({
      name: 'Post',
      pk: 'BLOG#{blog}#{post}',
      sk: 'v{of} {rest}',
      attributes: z.object({}),
    });
    const keyOfPost = ({ ids }: View) => {
      const { pk, sk } = post.key(ids as Parameters<typeof post.key>[0]);
      return `${pk} / ${sk}`;
    };
    expect(patternOf(keyOfPost)).toBe('BLOG#{blog}#{post} / v{of} {rest}');
  });
});
