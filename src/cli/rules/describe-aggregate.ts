import type { Aggregate } from '../../model/aggregate.ts';
import { patternOf } from '../../model/placeholders.ts';
import type { AnyReducer } from '../../model/reducers.ts';
import { describeKind, rangeText, sourceText } from './describe-rule.ts';

/** An aggregate in words, for people and JSON output. */
export function describeAggregate(aggregate: Aggregate) {
  const { name, of, on, members, computes, reads, limit, every, invalid } = aggregate;
  const read = [
    ...(reads.member.length > 0 ? [`${reads.member.join(', ')} of the member`] : []),
    ...(reads.target.length > 0 ? [`${reads.target.join(', ')} of the target`] : []),
  ];
  return {
    aggregate: name,
    of: describeKind(of),
    on: describeKind(on),
    found: members.map(describeMembers),
    targets: targetsPattern(aggregate) ?? sourceText(aggregate.targetsOf),
    computes: Object.entries(computes).map(
      ([attribute, reducer]) => `${attribute} = ${reducerInWords(reducer)}`,
    ),
    reads: read.join('; ') || 'nothing else',
    limit: `${limit.toLocaleString('en')} members`,
    every: every === undefined ? 'at once, for each batch of changes' : `once in ${every} seconds`,
    invalid: invalid === 'skip' ? 'skipped, and counted' : 'dead-letters the target',
  };
}

/** The keys that `targetsOf` returns, as patterns of what it reads. Undefined if there are no such patterns. */
function targetsPattern(aggregate: Aggregate): string | undefined {
  return patternOf((view) => {
    const keys = aggregate.targetsOf(view).map(({ pk, sk }) => `${pk} / ${sk}`);
    return keys.length > 0 ? keys.join(', ') : undefined;
  });
}

function describeMembers(location: Aggregate['members'][number]): string {
  const pattern = patternOf((view) => rangeText(location, location.at(view)));
  if (pattern !== undefined) return pattern;
  return location.in === 'index' ? `in ${location.index.name}` : 'in the partition that the rule computes';
}

/** How a reducer computes its attribute. */
function reducerInWords(reducer: AnyReducer): string {
  if (reducer.add === 'count') return 'how many members there are';
  const added = typeof reducer.add === 'function' ? 'what the function add makes' : reducer.add;
  return `${added} of ${'of' in reducer ? reducer.of : 'what the function from returns'}`;
}
