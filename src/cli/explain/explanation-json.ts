import type { PricedStep } from '../../develop/dev/dry-run/priced-table.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { attribute, type Item } from '../../model/item.ts';
import { keyAsJson, valueText } from '../output/text.ts';
import { aggregateRoleSentence, computedSentence } from './aggregate-roles.ts';
import { costOf, costRows } from './cost.ts';
import type { Explanation, Subject } from './explain-subjects.ts';
import type { Printing } from './explanation-text.ts';
import { membersIn, type PlannedPropagation } from './planned-worker.ts';
import type { Round } from './rounds.ts';
import { archivedSentence, itemArchivedSentence, roleSentence, whySentence } from './subject-text.ts';

/** An explanation as JSON. Unlike the text, it lists every write. */
export function explanationJson(explanation: Explanation, printing: Printing): object {
  const { subjects, first, after } = explanation;
  const { table } = printing.registry;
  const { rows, total } = costRows(table, explanation);
  return {
    subjects: subjects.map(subjectJson),
    ...roundJson(first, printing),
    comesBack: after.map((round) => ({ records: round.changes, ...roundJson(round, printing) })),
    cost: { parts: rows, total },
  };
}

function subjectJson(subject: Subject): object {
  switch (subject.is) {
    case 'record': {
      const { change, kinds, contradiction, whys, computed, archives } = subject;
      return {
        is: 'record',
        event: change.before === undefined ? 'INSERT' : change.after === undefined ? 'REMOVE' : 'MODIFY',
        key: keyAsJson(change.key),
        expired: change.expired,
        kinds,
        ...(contradiction !== undefined && { contradiction }),
        rules: [
          ...whys.map((why) => ({ ...why, rule: why.rule.name, says: whySentence(why) })),
          ...computed.map(({ aggregate, ...why }) => ({
            ...why,
            rule: aggregate.name,
            targets: why.targets.map(keyAsJson),
            says: computedSentence({ aggregate, ...why }),
          })),
          ...archives.map((why) => ({ ...why, rule: why.rule.name, says: archivedSentence(why) })),
        ],
      };
    }
    case 'item': {
      const { key, item, kinds, contradiction, rules, roles, aggregates, archives } = subject;
      const concerned = new Set([...roles, ...aggregates, ...archives].map((one) => one.rule.name));
      return {
        is: 'item',
        key: keyAsJson(key),
        exists: item !== undefined,
        kinds,
        ...(contradiction !== undefined && { contradiction }),
        rules: [
          ...roles.map((role) => ({
            rule: role.rule.name,
            as: role.as,
            ...(role.as === 'copy' &&
              role.root !== undefined && { root: keyAsJson(role.root), finding: role.finding.is }),
            says: roleSentence(role),
          })),
          ...aggregates.map((role) => ({
            rule: role.rule.name,
            as: role.as,
            ...(role.as === 'member' && { targets: role.targets.map(keyAsJson) }),
            says: aggregateRoleSentence(role),
          })),
          ...archives.map((why) => ({ ...why, rule: why.rule.name, says: itemArchivedSentence(why) })),
          ...rules
            .filter((rule) => !concerned.has(rule))
            .map((rule) => ({ rule, as: null, says: 'is not concerned' })),
        ],
      };
    }
    case 'message':
    case 'unreadable':
      return subject;
  }
}

function roundJson({ propagations, check, archived }: Round, printing: Printing): object {
  const { table } = printing.registry;
  return {
    propagations: propagations.map((propagation) => propagationJson(propagation, printing)),
    check: check && {
      copies: check.copies,
      propagations: check.propagations.length,
      cost: costOf(table, check.steps),
    },
    archived: archived.map(({ report, asked, steps }) => ({
      ...(report && { kind: report.kind, key: keyAsJson(report.key), outcome: report.outcome }),
      asked,
      cost: costOf(table, steps),
    })),
  };
}

function propagationJson(propagation: PlannedPropagation, { registry, values }: Printing): object {
  const { message, aggregate, locations, parts, deadLettered, left } = propagation;
  return {
    rule: message.rule,
    root: keyAsJson(message.root),
    cause: message.cause,
    locations,
    parts: parts.map(({ by, delaySeconds, steps, report }) => ({
      by,
      delaySeconds,
      ...(aggregate !== undefined && { members: membersIn({ steps }) }),
      report,
      steps: steps.map((step) => stepJson(step, values)),
      cost: costOf(registry.table, steps),
    })),
    deadLettered,
    notFollowed: left.length,
  };
}

function stepJson(step: PricedStep, values: boolean): object {
  switch (step.does) {
    case 'query':
      return step;
    case 'read':
    case 'condition':
      return { ...step, key: keyAsJson(step.key) };
    case 'update': {
      const { key, set, remove, expect } = step.update;
      return {
        ...{
          does: step.does,
          key: keyAsJson(key),
          set: Object.keys(set).sort(),
          remove: remove.toSorted(),
          expect: Object.keys(expect).sort(),
        },
        writeUnits: step.writeUnits,
        ...(values && { values: valuesOf(step.before, step.after) }),
      };
    }
    case 'create': {
      const { key, item } = step.creation;
      const root = step.root.expect === 'absent' ? 'absent' : Object.keys(step.root.expect).sort();
      return {
        ...{ does: step.does, key: keyAsJson(key), set: Object.keys(item).sort(), root },
        writeUnits: step.writeUnits,
        ...(values && { values: valuesOf({}, item) }),
      };
    }
    case 'remove': {
      const { key, clear, expect } = step.removal;
      const root = step.root.expect === 'absent' ? 'absent' : Object.keys(step.root.expect).sort();
      return {
        ...{
          does: clear === undefined ? 'delete' : 'clear',
          key: keyAsJson(key),
          remove: clear?.toSorted() ?? [],
        },
        ...{ expect: Object.keys(expect).sort(), root, writeUnits: step.writeUnits },
        ...(values && { values: valuesOf(step.before, step.after ?? {}) }),
      };
    }
  }
}

/** Item content. Included only on request. */
function valuesOf(before: Item, after: Item): object {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...names]
    .map((name) => ({ name, was: attribute(before, name), is: attribute(after, name) }))
    .filter(({ was, is }) => valueText(was) !== valueText(is));
  return Object.fromEntries(
    differing.map(({ name, was, is }) => [name, { was: asJson(was), is: asJson(is) }]),
  );
}

/** The value as DynamoDB JSON, or null if it is missing. */
function asJson(value: AttributeValue | undefined): unknown {
  return value === undefined ? null : Object.values(itemToJson({ value }))[0];
}
