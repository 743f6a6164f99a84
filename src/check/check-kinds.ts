import { exampleKey } from '../examples/numbered-items.ts';
import type { TableNames } from '../model/items/table-names.ts';
import type { BoundKind } from '../model/kinds/kind.ts';
import { parsedBy } from '../model/kinds/view.ts';
import type { Registry } from '../model/rules/registry.ts';
import { quotedParts } from './check-rules.ts';
import { type Finding, findings } from './finding.ts';

export function checkKinds(registry: Registry): readonly Finding[] {
  const kinds = registry.kinds;
  return kinds.flatMap((kind, index) => {
    const ofPairs = kinds
      .slice(index + 1)
      .map((other) =>
        kind.name === other.name ? namesakes(kind) : (taken(kind, other) ?? taken(other, kind)),
      );
    const found = [unexpiring(registry.table, kind), ...ofPairs].filter((message) => message !== undefined);
    return findings('kinds', kind.name, found);
  });
}

function unexpiring({ ttl }: TableNames, { name, attributes }: BoundKind): string | undefined {
  const schema = attributes.shape[ttl];
  if (schema === undefined || parsedBy(schema, { N: '1800000000' }).success) return undefined;
  return `Expected ${ttl} of ${name}, the TTL attribute, to be a number in epoch seconds, got a schema that refuses one: correct the schema`;
}

/** Of two kinds of one key. */
export const remedy = 'give both a type, or text of their own in their key patterns';

function namesakes({ name }: BoundKind): string {
  return `Expected each kind to have a name of its own, got two called ${name}: rename one of them`;
}

/** Whether a usual key of one kind, whose ids are letters and digits, is a key of the other as well. */
function taken(kind: BoundKind, other: BoundKind): string | undefined {
  const apart = kind.type !== undefined && other.type !== undefined && kind.type !== other.type;
  const key = exampleKey(kind, 0);
  if (apart || key === undefined || other.idsOf(key) === undefined) return undefined;
  const isNarrower = other.narrower.some(({ name }) => name === kind.name);
  const which = isNarrower ? `which fit both and are taken for ${kind.name}` : 'which fit both';
  return `Expected keys of ${kind.name} not to be keys of ${other.name}, got ${quotedParts(key.pk, key.sk)}, ${which}: ${remedy}`;
}
