import type { Document } from 'yaml';
import type { IndexNames, TableNames } from '../model/table-names.ts';
import { mapAt, mapNode, seqNode, textNode } from './yaml-nodes.ts';

/** Gives the table its keys, indexes and TTL. All keys are texts, and every index holds whole items. */
export function setTable(document: Document, table: TableNames): void {
  const properties = mapAt(document, ['Resources', 'Table', 'Properties']);
  const indexes = Object.values(table.indexes);
  const keys = new Set([table, ...indexes].flatMap(({ pk, sk }) => [pk, sk]));
  properties.set(
    'AttributeDefinitions',
    seqNode([...keys].map((name) => mapNode({ AttributeName: name, AttributeType: 'S' }, true))),
  );
  properties.set('KeySchema', keySchema(table));
  if (indexes.length === 0) properties.delete('GlobalSecondaryIndexes');
  else properties.set('GlobalSecondaryIndexes', seqNode(indexes.map(indexNode)));
  mapAt(document, ['Resources', 'Table', 'Properties', 'TimeToLiveSpecification']).set(
    'AttributeName',
    textNode(table.ttl),
  );
}

function indexNode(index: IndexNames) {
  return mapNode({
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: mapNode({ ProjectionType: 'ALL' }, true),
  });
}

function keySchema({ pk, sk }: Pick<IndexNames, 'pk' | 'sk'>) {
  return seqNode([
    mapNode({ AttributeName: pk, KeyType: 'HASH' }, true),
    mapNode({ AttributeName: sk, KeyType: 'RANGE' }, true),
  ]);
}
