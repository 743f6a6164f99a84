import { isScalar, isSeq, parseDocument, visit } from 'yaml';
import * as z from 'zod';

/** Names that CloudFormation and SAM give: pseudo parameters, and the mappings that SAM makes of a function's events. */
const given = /^AWS::|Stream$/;

/** References of a template to nothing, and parameters and conditions that nothing uses. */
export function looseEnds(text: string): readonly string[] {
  const document = parseDocument(text, { logLevel: 'silent' });
  const used = new Set<string>();
  visit(document, {
    Scalar(key, { tag, value }) {
      if (key === 'key' || typeof value !== 'string') return;
      if (tag === '!Ref' || tag === '!Condition') used.add(value);
      if (tag === '!GetAtt') used.add(value.split('.')[0] ?? '');
      if (tag === '!Sub') for (const [, name = ''] of value.matchAll(/\$\{([^.}!]+)/g)) used.add(name);
    },
    Seq(_, { tag, items: [first] }) {
      if (tag === '!If' && isScalar(first)) used.add(String(first.value));
    },
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === 'Condition' && isScalar(value)) used.add(String(value.value));
    },
  });
  const namesIn = (section: string) => Object.keys(document.toJS()[section] ?? {});
  const toUse = [...namesIn('Parameters'), ...namesIn('Conditions')];
  const there = [...toUse, ...namesIn('Resources')];
  return [
    ...[...used].filter((name) => !there.includes(name) && !given.test(name)).map((name) => `no ${name}`),
    ...toUse.filter((name) => !used.has(name)).map((name) => `unused ${name}`),
    ...groupedParameters(document)
      .filter((name) => !there.includes(name))
      .map((name) => `grouped ${name}`),
  ];
}

function groupedParameters(document: ReturnType<typeof parseDocument>): string[] {
  const groups = document.getIn(['Metadata', 'AWS::CloudFormation::Interface', 'ParameterGroups']);
  if (!isSeq(groups)) return [];
  return z
    .array(z.object({ Parameters: z.array(z.string()) }))
    .parse(groups.toJSON())
    .flatMap((group) => group.Parameters);
}
