import type * as z from 'zod/mini';
import { refusalOf } from '../basics/errors.ts';
import type { AttributeValue, Derived } from '../items/attribute-value.ts';
import { idNames, isSameKind, numericId } from '../kinds/kind.ts';
import { parsedBy } from '../kinds/view.ts';
import type { Rule } from './rule.ts';

/**
 * The rule of a tree: its list is derived as any other attribute, from the list of the item above.
 * @param ancestors the id by the attribute that lists it, as in `{ Ancestors: 'folder' }`
 * @throws RuleError `rule.not-a-tree`
 */
export function withAncestors(rule: Rule, ancestors: Readonly<Record<string, string | undefined>>): Rule {
  const [[attribute, id] = ['', undefined], ...others] = Object.entries(ancestors);
  const refuse = (why: string) => refusalOf(rule)('rule.not-a-tree', why);
  const ids = idNames(rule.root);
  if (id === undefined || others.length > 0 || !ids.includes(id))
    throw refuse(
      `has ancestors that are not one attribute with one of the ids ${ids.join(', ')}: write { Ancestors: '${ids.at(-1)}' }, for an attribute of ${rule.copy.name}`,
    );
  if (!isSameKind(rule.root, rule.copy) || rule.located.in === 'itself' || rule.creates)
    throw refuse(
      'has ancestors, but an item and the one above it are not of one kind, found by a location: make root and copy the same kind, without creates',
    );
  if (rule.copies === 'all')
    throw refuse('has ancestors, and would copy all of an item to those below it: list what is copied');
  if (rule.onUnlink !== 'clear')
    throw refuse("has ancestors, which an item that comes to the top must lose: set onUnlink to 'clear'");
  if (Object.hasOwn(rule.derive, attribute))
    throw refuse(`has ancestors and derives '${attribute}' too: remove it from derive`);
  const schema = rule.copy.attributes.shape[attribute];
  if (schema !== undefined && !parsedBy(schema, undefined).success)
    throw refuse(`keeps ancestors in '${attribute}', which a topmost item does not have: make it optional`);
  const isNumeric = numericId(rule.root, id) !== undefined;
  if (schema !== undefined && isOfAnotherForm(schema, isNumeric))
    throw refuse(
      `keeps ancestors in '${attribute}', whose schema is not of such lists: make it an array of ${isNumeric ? 'numbers' : 'strings'}, as the id '${id}' is`,
    );
  const { reads, derive } = rule;
  const root = [...new Set([...reads.root, attribute])];
  return {
    ...rule,
    tree: { attribute, id },
    reads: { ...reads, root },
    derive: {
      ...derive,
      [attribute]: ({ root: above }) => [...listIn(above[attribute]), above.ids[id] as Derived],
    },
  };
}

/** Whether the schema refuses a list of ids, and is of something else: it may refuse this id for reasons of its own. */
function isOfAnotherForm(schema: z.core.$ZodType, isNumeric: boolean): boolean {
  const [text, number] = [{ S: '1' }, { N: '1' }];
  const [ours, theirs] = isNumeric ? [number, text] : [text, number];
  const accepts = (value: AttributeValue) => parsedBy(schema, value).success;
  return (
    !accepts({ L: [ours] }) && [{ L: [theirs] }, text, number, { SS: ['1'] }, { NS: ['1'] }].some(accepts)
  );
}

function listIn(value: unknown): readonly Derived[] {
  return Array.isArray(value) ? value : [];
}
