import { beforeAll, describe, expect, it } from 'vitest';
import { expandedTemplate, type ResourcesFor } from './expanded-template.ts';
import { templates } from './templates.ts';

let resourcesFor: ResourcesFor;

const bucketsOf = (functions: readonly string[]) => [
  'PropagateFailureBucket',
  ...(functions.includes('Archive') ? ['ArchiveBucket', 'ArchiveFailureBucket'] : []),
];

describe.each(templates)('of $name:', ({ path, functions }) => {
  beforeAll(async () => {
    resourcesFor = await expandedTemplate(path);
  });

  describe('a resource with data', () => {
    it.each(bucketsOf(functions))(
      '%s stays when the stack is deleted, and is deleted when its first deployment fails',
      (id) => {
        expect(resourcesFor()[id]).toMatchObject({
          DeletionPolicy: 'RetainExceptOnCreate',
          UpdateReplacePolicy: 'Retain',
        });
      },
    );

    it('Table stays in any case, because it is protected from deletion', () => {
      expect(resourcesFor()['Table']).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: { DeletionProtectionEnabled: true },
      });
    });
  });

  it('the dashboard has another name in each region, because names are unique in an account', () => {
    const names = ['us-east-1', 'eu-west-1'].map((region) => {
      const stack = resourcesFor({ 'AWS::StackName': 'shop', 'AWS::Region': region });
      return stack['Dashboard']?.Properties['DashboardName'];
    });
    expect(names).toEqual(['shop-us-east-1', 'shop-eu-west-1']);
  });
});
