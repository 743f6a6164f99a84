import { expect, test } from 'vitest';
import { plainStack } from '../../src/deploy/plain-stack.ts';
import { expandedTemplate } from './expanded-template.ts';
import { asParameters, everySwitch, withoutOwnOfSam } from './plain-cases.ts';
import { templates } from './templates.ts';

test.each(templates.flatMap((template) => [{}, everySwitch].map((given) => ({ ...template, given }))))(
  'of $name: the resources without SAM, with the parameters $given, are those that SAM makes of the template',
  async ({ path, config, given }) => {
    const expanded = (await expandedTemplate(path))(asParameters(given));
    const plain = plainStack(config, given).Resources;

    expect(Object.keys(plain).toSorted()).toEqual(Object.keys(expanded).toSorted());
    for (const [id, resource] of Object.entries(plain))
      expect(resource, id).toEqual(withoutOwnOfSam(expanded[id] ?? expect.fail(id)));
  },
);
