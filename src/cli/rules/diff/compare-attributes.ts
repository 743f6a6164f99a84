import type { Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { type AttributeSource, anyOther, attributeSourceOf, namedBy } from './attribute-source.ts';
import type { Effect, RuleChange } from './rule-change.ts';

/** What becomes of the attributes of copies that are there already: those that either version names, and all others. */
export function attributeChanges(table: TableNames, before: Rule, after: Rule): RuleChange[] {
  const names = [...new Set([...namedBy(before), ...namedBy(after)])].sort();
  return [...names, anyOther].flatMap((attribute) => {
    const was = attributeSourceOf(table, before, attribute);
    const is = attributeSourceOf(table, after, attribute);
    const meaning = meaningOf(was, is);
    if (meaning === undefined) return [];
    const [effect, says] = meaning;
    const texts = { before: sourceText(was), after: sourceText(is) };
    return [
      {
        rule: after.name,
        what: 'attribute',
        attribute,
        ...texts,
        effect,
        says: `${says}${keyText(table, attribute)}`,
      },
    ];
  });
}

/** What a new rule makes of copies that are there already. */
export function newAttributes(table: TableNames, rule: Rule): RuleChange[] {
  return [...namedBy(rule).sort(), anyOther].flatMap((attribute) => {
    const is = attributeSourceOf(table, rule, attribute);
    const meaning = meaningOf({ is: 'copys-own' }, is);
    if (meaning === undefined) return [];
    const [effect, told] = meaning;
    const says = `${told}${keyText(table, attribute)}`;
    return [
      {
        rule: rule.name,
        what: 'attribute',
        attribute,
        before: 'no rule',
        after: sourceText(is),
        effect,
        says,
      },
    ];
  });
}

/** A key of an index is dearer to write: the copy comes to another place there. */
function keyText({ indexes }: TableNames, attribute: string): string {
  const index = Object.values(indexes).find(({ pk, sk }) => pk === attribute || sk === attribute);
  return index === undefined ? '' : `; it is a key of ${index.name}`;
}

function meaningOf(was: AttributeSource, is: AttributeSource): readonly [Effect, string] | undefined {
  if (was.is === 'derived' && is.is === 'derived') {
    if (was.pattern !== is.pattern) return ['changes', 'is written anew'];
    return was.source === is.source
      ? undefined
      : ['cannot-tell', 'is computed by another function: what it gives cannot be told from here'];
  }
  if (was.is === is.is) return undefined;
  switch (is.is) {
    case 'derived':
      return was.is === 'copys-own'
        ? ['appears', 'is written']
        : ['changes', 'is computed, and no longer the root’s'];
    case 'as-root':
      if (was.is === 'as-root-if-there') return ['goes', 'goes where the root has none'];
      return [
        was.is === 'derived' ? 'changes' : 'appears',
        'becomes what the root has, and goes where it has none',
      ];
    case 'as-root-if-there':
      if (was.is === 'as-root') return ['nothing', 'stays from now on where the root loses it'];
      return [was.is === 'derived' ? 'changes' : 'appears', 'becomes what the root has'];
    case 'copys-own':
      return ['stays', 'stays as it is, and follows no longer'];
  }
}

export function sourceText(source: AttributeSource): string {
  switch (source.is) {
    case 'derived':
      return source.pattern ?? 'computed';
    case 'as-root':
      return 'as the root has it';
    case 'as-root-if-there':
      return 'as the root has it, if it does';
    case 'copys-own':
      return 'the copy’s own';
  }
}
