import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { keyAttributes } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import type { Committed } from './model-table.ts';

/** The record of a change, as Lambda delivers it: its time in whole seconds, an expiry by the service's identity. */
export function lambdaChange(names: TableNames, { sequence, key, before, after, by, at }: Committed): object {
  return {
    eventID: String(sequence),
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    ...(by === 'service' &&
      after === undefined && {
        userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
      }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: keyAttributes(names, key),
      ...(before && { OldImage: itemToJson(before) }),
      ...(after && { NewImage: itemToJson(after) }),
      SequenceNumber: String(sequence),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}
