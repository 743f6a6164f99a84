import type { AnyKind } from '../model/kind.ts';
import { allKinds, type Registry } from '../model/registry.ts';
import { exampleKey } from './example-items.ts';
import type { Finding } from './finding.ts';

/** Finds kinds that take each other's items, and different kinds of one name. */
export function checkKinds(registry: Registry): readonly Finding[] {
  const kinds = allKinds(registry);
  return kinds.flatMap((kind, index) =>
    kinds.slice(index + 1).flatMap((other): Finding[] => {
      const says = kind.name === other.name ? namesakes(kind) : (taken(kind, other) ?? taken(other, kind));
      return says === undefined ? [] : [{ about: 'kinds', subject: kind.name, says }];
    }),
  );
}

function namesakes({ name }: AnyKind): string {
  return `Expected each kind to have a name of its own, got two called ${name}: rename one of them`;
}

/** Whether a usual key of one kind, whose ids are letters and digits, is a key of the other as well. */
function taken(kind: AnyKind, other: AnyKind): string | undefined {
  const apart = kind.type !== undefined && other.type !== undefined && kind.type !== other.type;
  const key = exampleKey(kind, 'A');
  if (apart || key === undefined || other.idsOf(key) === undefined) return undefined;
  return (
    `Expected keys of ${kind.name} not to be keys of ${other.name}, got '${key.pk}' and '${key.sk}', which fit both: ` +
    'give both a type, or text of their own in their key patterns'
  );
}
