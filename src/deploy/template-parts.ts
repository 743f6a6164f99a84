import { type Document, isScalar, isSeq, type YAMLSeq } from 'yaml';
import type { Usage } from './usage.ts';
import { mapAt, removeNames, seqAt, textNode } from './yaml-nodes.ts';

/** Sections whose members belong to a function if their names begin with its name. */
const sections = ['Parameters', 'Rules', 'Conditions', 'Resources', 'Outputs'];

/** Removes functions that no rule uses, with everything that belongs to them. */
export function removeUnusedParts(document: Document, { archives, sweeps, archive }: Usage): void {
  if (!sweeps) removePart(document, /^Sweep/);
  if (!archives) {
    removePart(document, /^Archive/);
    const said = String(document.get('Description'));
    document.set('Description', textNode(said.replace(', and archives items before they expire', '')));
  }
  if (!archive.erases) removePart(document, /^ArchiveErase$|^ErasesArchive$/);
}

function removePart(document: Document, part: RegExp): void {
  const isRemoved = (name: string) => part.test(name);
  for (const section of sections) removeNames(mapAt(document, [section]), isRemoved);
  for (const group of parameterGroups(document)) removeItems(group, isRemoved);
}

/** The lists of parameters, as the console groups them. */
export function parameterGroups(document: Document): readonly YAMLSeq[] {
  const groups = ['Metadata', 'AWS::CloudFormation::Interface', 'ParameterGroups'];
  return seqAt(document, groups).items.map((_, index) => seqAt(document, [...groups, index, 'Parameters']));
}

function removeItems(list: YAMLSeq, isRemoved: (name: string) => boolean): void {
  list.items = list.items.filter(
    (node) => isSeq(node) || !(isScalar(node) && typeof node.value === 'string' && isRemoved(node.value)),
  );
}
