import { describe, expect, test } from 'vitest';
import { filterPatterns } from '../../../src/deploy/needs/mapping-filters.ts';
import { usageOf } from '../../../src/deploy/needs/usage.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { incident, participation } from '../../fixtures/world/kinds.ts';
import { registryOf } from '../../fixtures/world/world.ts';

/** Participations go with their incident, and incidents with their team. Neither rule writes an attribute. */
const participationsGo = defineRule({
  ...{ name: 'participations-go', root: incident, copy: participation },
  located: { in: 'partition', at: ({ ids }) => ({ pk: participation.pk(ids) }) },
  rootOf: ({ ids }) => incident.key(ids),
  ...{ onDelete: 'delete', onExpire: 'keep' },
});

describe('a rule that only removes', () => {
  test('needs the records of its roots alone, unless it has when, and no permission to update', () => {
    const openOnly = { ...participationsGo, when: { root: () => true } };

    const [filters, withWhen] = [[participationsGo], [openOnly]].map((rules) =>
      JSON.stringify(filterPatterns(registryOf(...rules), 'Propagate')),
    );

    expect(filters).not.toContain('participations');
    expect(withWhen).toContain('participations');
    expect(usageOf(registryOf(participationsGo)).propagation).toMatchObject({
      ...{ updates: false, deletes: true, conditionsOnRoots: true },
    });
  });
});
