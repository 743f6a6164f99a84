import { type Document, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import type { ArchiveUsage, PropagationUsage, Usage } from './usage.ts';
import { mapNode, seqAt, seqNode, tagged } from './yaml-nodes.ts';

/** Allows each function exactly what the rules make it do. */
export function setPolicies(document: Document, usage: Usage): void {
  for (const name of ['Propagate', 'FanOut']) allowPropagation(document, name, usage.propagation);
  keepActionIf(document, 'Verify', 'CompareCopies', 'dynamodb:Query', usage.verify.queriesTable);
  setIndexes(document, 'Verify', 'FindMembers', usage.verify.indexes);
  if (usage.archives) {
    allowArchiving(document, 'Archive', usage.archive);
    keepIf(document, 'Archive', 'ReadItems', usage.archive.objects);
  }
  if (!usage.sweeps) return;
  const { scans, queriesTable, indexes, writtenKeys } = usage.sweep;
  allowArchiving(document, 'Sweep', usage.sweep);
  keepActionIf(document, 'Sweep', 'ReadAgedItems', 'dynamodb:Query', queriesTable);
  keepActionIf(document, 'Sweep', 'ReadAgedItems', 'dynamodb:Scan', scans);
  setIndexes(document, 'Sweep', 'FindAgedItems', indexes);
  setLeadingKeys(document, 'Sweep', 'GiveExpiry', writtenKeys);
}

function allowPropagation(document: Document, name: string, usage: PropagationUsage): void {
  const { queriesTable, indexes, creates, updates, deletes, removes, writtenKeys } = usage;
  keepActionIf(document, name, 'ReadRootsAndCopies', 'dynamodb:Query', queriesTable);
  setIndexes(document, name, 'LocateCopies', indexes);
  keepActionIf(document, name, 'WriteCopies', 'dynamodb:PutItem', creates);
  for (const action of ['dynamodb:UpdateItem', 'dynamodb:PartiQLUpdate'])
    keepActionIf(document, name, 'WriteCopies', action, updates);
  keepActionIf(document, name, 'WriteCopies', 'dynamodb:DeleteItem', deletes);
  setLeadingKeys(document, name, 'WriteCopies', writtenKeys);
  keepIf(document, name, 'CheckRoots', creates || removes);
}

function allowArchiving(document: Document, name: string, { batches, erases }: ArchiveUsage): void {
  keepIf(document, name, 'ArchiveManifests', batches);
  for (const sid of ['NoteErasures', 'FindVersions', 'EraseVersions']) keepIf(document, name, sid, erases);
}

function keepActionIf(document: Document, name: string, sid: string, action: string, isUsed: boolean): void {
  const actions = statement(document, name, sid).get('Action');
  const isAction = (node: unknown) => isScalar(node) && node.value === action;
  if (!isSeq(actions) || !actions.items.some(isAction))
    throw new Error(`Expected ${action} in ${sid} of ${name} in the base template`);
  if (!isUsed) actions.items = actions.items.filter((node) => !isAction(node));
}

/** The statement is about these indexes; there is none if no index is queried. */
function setIndexes(document: Document, name: string, sid: string, indexes: readonly string[]): void {
  keepIf(document, name, sid, indexes.length > 0);
  if (indexes.length === 0) return;
  // `!If [condition, an ARN that ends in /index/*, another one]`
  const chosen = statement(document, name, sid).get('Resource');
  if (!isSeq(chosen))
    throw new Error(`Expected a choice of resources in ${sid} of ${name} in the base template`);
  chosen.items = chosen.items.map((node, position) => {
    if (position === 0 || !isScalar(node)) return node;
    const resources = indexes.map((index) => tagged('!Sub', String(node.value).replace('*', index)));
    return resources.length === 1 ? resources[0] : seqNode(resources);
  });
}

/** Every write names its item, so the condition never meets a request without a key, which it would let pass. */
function setLeadingKeys(document: Document, name: string, sid: string, patterns: readonly string[]): void {
  if (patterns.length === 0) return;
  const keys = mapNode({ 'dynamodb:LeadingKeys': seqNode(patterns) });
  statement(document, name, sid).set('Condition', mapNode({ 'ForAllValues:StringLike': keys }));
}

function keepIf(document: Document, name: string, sid: string, isUsed: boolean): void {
  // Throws if the base template has no such statement, so that a misspelt one is not kept silently.
  statement(document, name, sid);
  if (isUsed) return;
  const statements = statementsOf(document, name);
  statements.items = statements.items.filter((node) => sidOf(node) !== sid);
}

function statement(document: Document, name: string, sid: string): YAMLMap {
  const found = statementsOf(document, name)
    .items.map(statementIn)
    .find((node) => node?.get('Sid') === sid);
  if (found !== undefined) return found;
  throw new Error(`Expected a statement ${sid} in the role of ${name} in the base template`);
}

function statementsOf(document: Document, name: string) {
  return seqAt(document, [
    ...['Resources', `${name}Role`, 'Properties', 'Policies'],
    ...[0, 'PolicyDocument', 'Statement'],
  ]);
}

function sidOf(node: unknown): unknown {
  return statementIn(node)?.get('Sid');
}

/** A statement, also one under a condition: `!If [condition, statement, nothing]`. */
function statementIn(node: unknown): YAMLMap | undefined {
  const inner = isSeq(node) ? node.items[1] : node;
  return isMap(inner) ? inner : undefined;
}
