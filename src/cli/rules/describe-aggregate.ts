import type { Aggregate } from '../../model/aggregate.ts';
import { patternOf } from '../../model/placeholders.ts';
import type { AnyReducer } from '../../model/reducers.ts';
import {
  computedText,
  type Description,
  describeTyped,
  patternOrSource,
  rangeText,
  readsText,
  sourceText,
} from './description.ts';

export function describeAggregate(aggregate: Aggregate): Description {
  const { name, of, on, members, targetsOf, computes, reads, limit, every, invalid } = aggregate;
  const targets = patternOrSource(targetsOf, (view) => {
    const keys = targetsOf(view).map(({ pk, sk }) => `${pk} / ${sk}`);
    return keys.length > 0 ? keys.join(', ') : undefined;
  });
  return {
    rule: name,
    type: 'aggregate',
    fields: {
      of: [describeTyped(of)],
      on: [describeTyped(on)],
      members: members.map(describeMembers),
      targetsOf: [targets],
      computes: Object.entries(computes).map(
        ([attribute, reducer]) => `${attribute} = ${reducerInWords(reducer)}`,
      ),
      reads: readsText(reads),
      limit: [`${limit.toLocaleString('en')} members`],
      every: [every === undefined ? 'at once, for each batch of changes' : `once in ${every} seconds`],
      invalid: [invalid === 'skip' ? 'skipped, and counted' : 'dead-letters the target'],
    },
  };
}

/** Where the members of a target are. */
export function describeMembers(location: Aggregate['members'][number]): string {
  return patternOf((view) => rangeText(location, location.at(view))) ?? computedText(location, location.at);
}

function reducerInWords(reducer: AnyReducer): string {
  if (reducer.add === 'count') return 'how many members there are';
  const added = typeof reducer.add === 'function' ? sourceText(reducer.add) : reducer.add;
  return `${added} of ${'of' in reducer ? reducer.of : sourceText(reducer.from)}`;
}
