import * as z from 'zod';
import { type Project, projectOf } from '../../src/examples/project-examples.ts';
import { Random } from '../../src/examples/random.ts';
import type { KeyRange } from '../../src/model/items/given-keys.ts';
import type { ItemKey } from '../../src/model/items/item.ts';
import type { TableNames } from '../../src/model/items/table-names.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { type AnyKind, keyWith } from '../../src/model/kinds/kind.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import type { RemovalPolicy, Rule } from '../../src/model/rules/rule.ts';
import { projectScenario, type Scenario } from '../../src/simulator/scenario.ts';

/** A table, and how folders and files have their keys there. */
interface Layout {
  readonly table: TableNames;
  readonly folder: Keys;
  readonly file: Keys;
  readonly remark: Keys;
  /** Of folders, and of the files in each. */
  readonly ids: readonly string[];
  readonly isNumeric?: true;
  /** The files in the partition of their folder: all of them, or only some. Default: a partition has one item. */
  readonly filesIn?: (all: boolean) => Omit<KeyRange, 'pk'>;
  readonly levelKeys: { readonly pk: string; readonly sk: string };
}

interface Keys {
  readonly pk: string;
  readonly sk?: string;
}

const own = { ttl: 'ExpiresAt', type: 'Type' };
const number = (name: string) => ({ name, type: 'N' }) as const;

const layouts: Readonly<Record<'text' | 'numeric' | 'unsorted', Layout>> = {
  text: {
    table: {
      ...{ pk: 'PK', sk: 'SK', ...own },
      indexes: {
        byFolder: { name: 'byFolder', pk: 'Folder', projection: 'ALL' },
        byZone: { name: 'byZone', pk: ['Folder', 'Zone'], sk: ['Rank', number('Size')] },
        byLevel: { name: 'byLevel', pk: 'LevelKey', sk: 'LevelSort' },
      },
    },
    folder: { pk: 'FOLDER#{folder}', sk: 'FOLDER' },
    file: { pk: 'FOLDER#{folder}', sk: 'FILE#{file}' },
    remark: { pk: 'FOLDER#{folder}', sk: 'FILE#{file}#REMARK#{remark}' },
    ids: ['A', 'AA', 'AAA'],
    filesIn: (all) => ({ begins: all ? 'FILE#' : 'FILE#AA' }),
    levelKeys: { pk: 'LEVEL#{Level}', sk: '{Name}' },
  },
  numeric: {
    table: {
      ...{ pk: number('id'), sk: number('nr'), ...own },
      indexes: {
        byFolder: { name: 'byFolder', pk: number('Folder'), sk: number('Size') },
        byZone: { name: 'byZone', pk: [number('Folder'), 'Zone'], projection: 'ALL' },
        byLevel: { name: 'byLevel', pk: 'LevelKey', sk: number('LevelSort') },
      },
    },
    folder: { pk: '{folder:number}', sk: '0' },
    file: { pk: '{folder:number}', sk: '{file:number}' },
    remark: { pk: '{folder:number}', sk: '-1' },
    ids: ['1', '10', '2.5'],
    isNumeric: true,
    filesIn: (all) => ({ from: all ? 1 : 2 }),
    levelKeys: { pk: 'LEVEL', sk: '{Level}' },
  },
  unsorted: {
    table: {
      ...{ pk: 'id', ...own },
      indexes: {
        byFolder: { name: 'byFolder', pk: 'Folder' },
        byZone: { name: 'byZone', pk: ['Folder', 'Zone'], sk: 'Rank', projection: 'ALL' },
        byLevel: { name: 'byLevel', pk: 'LevelKey', sk: 'LevelSort' },
      },
    },
    folder: { pk: 'FOLDER#{folder}' },
    file: { pk: 'FILE#{folder}#{file}' },
    remark: { pk: 'FILE#{folder}#{file}#REMARK#{remark}' },
    ids: ['A', 'AA', 'AAA'],
    levelKeys: { pk: 'LEVEL#{Level}', sk: '{Name}' },
  },
};

/** What decides which items there are, and where the rule finds them: a project is made once for each. */
interface Form {
  readonly layout: keyof typeof layouts;
  readonly located: 'partition' | 'index' | 'zones' | 'key' | 'keys';
  /** How a file names its folder: by its key, by an attribute, or by both, which then say the same or name none. */
  readonly names: 'key' | 'attribute' | 'both';
  readonly copies: 'all' | 'some' | 'renamed';
  readonly isTyped: boolean;
  /** Files declare keys of an index, of what is copied. */
  readonly isKeyed: boolean;
  readonly moves: boolean;
  readonly hasWhen: boolean;
  /** What the other rule, by which folders are their own copies, does where it does not apply; none of that rule. */
  readonly marks: RemovalPolicy | undefined;
  /** A kind whose keys fit files too is listed. */
  readonly isListed: boolean;
  readonly creates: boolean;
  /** Where a folder has the notes at an end of its files from; nowhere if it has none. */
  readonly end: End | undefined;
}

interface End {
  readonly in: 'partition' | 'index' | 'zones';
  readonly end: 'last' | 'first';
  readonly most: number;
  readonly invalid: Aggregate['invalid'];
}

/** Where files of a layout are sorted. */
const sorted: Readonly<Record<Form['layout'], readonly End['in'][]>> = {
  text: ['partition', 'zones'],
  numeric: ['partition', 'index'],
  unsorted: ['zones'],
};

/** By a generator of its own, so that a seed decides the rest of a form as it did before there were ends. */
function endOf(random: Random, layout: Form['layout']): Form['end'] {
  if (!random.chance(0.4)) return undefined;
  return {
    in: random.pick(sorted[layout]),
    end: random.pick(['last', 'first']),
    most: random.int(1, 3),
    invalid: random.pick(['dead-letter', 'skip']),
  };
}

type Policies = Pick<Rule, 'onDelete' | 'onExpire' | 'onUnlink'>;

function formOf(random: Random, ofEnd: Random): Form {
  const layout = random.pick(['text', 'text', 'numeric', 'unsorted'] as const);
  const located = random.pick(['partition', 'index', 'zones', 'key', 'keys'] as const);
  const isIndex = located === 'index' || located === 'zones';
  const isAlone = located === 'partition' && layout === 'unsorted';
  const names = random.pick(['key', 'attribute', 'both', 'both'] as const);
  const copies = random.pick(['all', 'some', 'renamed'] as const);
  return {
    ...{ layout, names, copies, located: isAlone ? 'keys' : located },
    // Keys of numbers alone do not tell a folder from a file.
    isTyped: layout === 'numeric' || random.chance(0.6),
    isKeyed: copies !== 'renamed' && random.chance(0.3),
    moves: random.chance(0.4),
    hasWhen: random.chance(0.3),
    marks: random.chance(0.4) ? random.pick(played.filter((one) => leavesItem[one])) : undefined,
    isListed: layout !== 'numeric' && random.chance(0.4),
    creates:
      !isIndex &&
      located !== 'partition' &&
      !isAlone &&
      names === 'key' &&
      copies === 'some' &&
      random.chance(0.6),
    end: endOf(ofEnd, layout),
  };
}

/** Whether an item outlives the policy. A new one is played as soon as it is here: give these worlds first what it needs. */
const leavesItem: Readonly<Record<RemovalPolicy, boolean>> = { delete: false, clear: true, keep: true };

const played = Object.keys(leavesItem) as readonly RemovalPolicy[];

function policiesOf(random: Random): Policies {
  const [onDelete, onExpire, onUnlink] = [random, random, random].map((one) => one.pick(played));
  return { onDelete: onDelete ?? 'keep', onExpire: onExpire ?? 'keep', onUnlink: onUnlink ?? 'keep' };
}

function kindsOf({ layout, isTyped, isKeyed, end }: Form) {
  const { folder, file, remark, ids, isNumeric, levelKeys } = layouts[layout];
  const folderId: z.ZodType<string | number> = isNumeric ? z.number() : z.string().min(1);
  const attributes = { Name: z.string().min(1), Level: z.int().min(0) };
  return {
    folder: defineKind({
      ...{ name: 'Folder', ...folder, ...(isTyped && { type: 'Folder' }) },
      attributes: z.object({
        ...{ ...attributes, Closed: z.boolean().optional(), Zone: z.enum(['x', 'y']) },
        Mark: z.string().optional(),
        ...(end && { Newest: z.string().optional(), Notes: z.array(z.json()).optional() }),
      }),
    }),
    file: defineKind({
      ...{ name: 'File', ...file, ...(isTyped && { type: 'File' }) },
      attributes: z
        .object({ ...attributes, Title: z.string(), Card: z.string(), Note: z.string(), Folder: folderId })
        .partial(),
      examples: ids.map((id) => ({ Folder: isNumeric ? Number(id) : id })),
      ...(isKeyed && { keys: { byLevel: levelKeys } }),
    }),
    remark: defineKind({
      ...{ name: 'Remark', ...remark },
      attributes: z.object({ ...attributes, Folder: folderId.optional() }),
      examples: ids.map((id) => ({ Folder: isNumeric ? Number(id) : id })),
    }),
  };
}

type Kinds = ReturnType<typeof kindsOf>;

/** What functions of a rule see, whose types differ from table to table. */
type Seen = Parameters<Rule['rootOf']>[0];

function filesRule(form: Form, { folder, file }: Kinds, its: Policies): Rule {
  const { names, copies, moves, creates, hasWhen } = form;
  const { table, ids, filesIn = () => ({}) } = layouts[form.layout];
  const { byFolder = noIndex, byZone = noIndex } = table.indexes;
  const folderOf = (id: unknown) => keyOf(folder, { folder: String(id) });
  const filesOf = (root: Seen, from: number, to?: number) =>
    ids.slice(from, to).map((id) => keyOf(file, { folder: String(root.ids['folder']), file: id }));
  // Where files are follows from the folder's zone too, so that it moves; or from its key alone.
  const isFar = (root: Seen) => moves && root['Zone'] === 'y';
  const located: Readonly<Record<Form['located'], Rule['located']>> = {
    partition: {
      in: 'partition',
      at: (root) => ({ pk: folderOf(root.ids['folder']).pk, ...filesIn(!isFar(root)) }),
    },
    index: { in: 'index', index: byFolder, at: ({ ids: { folder: id = '' } }) => ({ pk: id }) },
    zones: {
      in: 'index',
      index: byZone,
      at: (root) => ({ pk: [root.ids['folder'] ?? '', isFar(root) ? 'y' : 'x'] }),
    },
    key: { in: 'key', at: (root) => filesOf(root, isFar(root) ? 1 : 0)[0] ?? { pk: '' } },
    keys: {
      in: 'keys',
      at: (root) => (isFar(root) ? filesOf(root, 1) : filesOf(root, 0, moves ? 2 : undefined)),
    },
  };
  const rootOf: Readonly<Record<Form['names'], Rule['rootOf']>> = {
    key: ({ ids: { folder: id } }) => folderOf(id),
    attribute: ({ Folder }) => (Folder === undefined ? undefined : folderOf(Folder)),
    both: ({ Folder, ids: { folder: id } }) => (Folder === id ? folderOf(id) : undefined),
  };
  return {
    is: 'rule',
    ...{ name: filesRuleName, root: folder, copy: file },
    reads: { root: ['Level', 'Zone', 'Closed'], copy: names === 'key' ? [] : ['Folder'] },
    ...{ located: located[form.located], rootOf: rootOf[names] },
    when: hasWhen ? { root: ({ Closed }) => Closed !== true } : undefined,
    copies: { all: 'all' as const, some: ['Name', 'Level'], renamed: ['Title'] }[copies],
    renamed: copies === 'renamed' ? { Title: 'Name' } : {},
    own: copies === 'all' ? ['Folder', 'Title', 'Note'] : [],
    derive: { Card: ({ root }) => `${root['Level']} ${root['Zone']}` },
    ...{ creates, unknown: 'keep' as const, tenant: undefined, ...its },
  };
}

const filesRuleName = 'folder-on-files';

const noIndex = { name: '', pk: '' };

function keyOf(kind: AnyKind, ids: Readonly<Record<string, string>>): ItemKey {
  return keyWith(kind, ids) ?? { pk: '', sk: '' };
}

/** Some folders are their own copies, and carry a mark. */
function marksRule({ folder }: Kinds, onDelete: RemovalPolicy): Rule {
  return {
    is: 'rule',
    ...{ name: 'marks', root: folder, copy: folder, located: { in: 'itself' } },
    reads: { root: ['Level', 'Closed'], copy: ['Level', 'Closed'] },
    when: { root: ({ Closed }) => Closed !== true },
    rootOf: () => undefined,
    ...{ copies: [], renamed: {}, own: [], unknown: 'keep' as const, tenant: undefined, creates: false },
    derive: { Mark: ({ root }) => `level ${root['Level']}` },
    ...{ onDelete, onExpire: 'keep', onUnlink: 'keep' },
  };
}

/** Files without a note do not count. */
function notesOf({ layout, end }: Form, { folder, file }: Kinds): Aggregate | undefined {
  if (end === undefined) return undefined;
  const { byFolder = noIndex, byZone = noIndex } = layouts[layout].table.indexes;
  const { filesIn = () => ({}) } = layouts[layout];
  const locations: Readonly<Record<End['in'], Aggregate['members'][number]>> = {
    partition: { in: 'partition', at: ({ ids }) => ({ pk: keyOf(folder, ids).pk, ...filesIn(true) }) },
    index: { in: 'index', index: byFolder, at: ({ ids }) => ({ pk: ids['folder'] ?? '' }) },
    // Behind a text that is the same for all, files are sorted by a number that some share.
    zones: {
      in: 'index',
      index: byZone,
      at: ({ ids }) => ({ pk: [ids['folder'] ?? '', 'x'], ...(layout === 'text' && { sk: ['r'] }) }),
    },
  };
  return {
    is: 'aggregate',
    ...{ name: 'notes-of-folder', of: file, on: folder },
    reads: { member: ['Folder', 'Note', 'Level'], target: [] },
    members: [{ ...locations[end.in], [end.end]: end.most }],
    targetsOf: ({ Folder, Note }) =>
      Folder === undefined || Note === undefined ? [] : [keyOf(folder, { folder: String(Folder) })],
    computes: {
      Newest: { of: 'Note', add: 'value' },
      Notes: { of: ['Note', 'Level'], add: 'list' },
    },
    ...{ limit: 10_000, every: undefined, invalid: end.invalid, ledger: undefined },
    ...{ creates: false, onEmpty: undefined },
  };
}

const madeByForm = new Map<string, Project>();

/** What the rule finds is the same whatever becomes of it. */
function madeFor(form: Form): Project {
  const known = madeByForm.get(JSON.stringify(form));
  if (known !== undefined) return known;
  const { project, obstacles } = projectOf(registryOf(form, kindsOf(form)));
  if (obstacles.length > 0) throw new Error(obstacles.map(({ message }) => message).join('\n'));
  madeByForm.set(JSON.stringify(form), project);
  return project;
}

function registryOf(form: Form, kinds: Kinds): Registry {
  const marks = form.marks === undefined ? [] : [marksRule(kinds, form.marks)];
  const rules = [filesRule(form, kinds, { onDelete: 'keep', onExpire: 'keep', onUnlink: 'keep' }), ...marks];
  const listed = form.isListed ? [kinds.remark] : [];
  const { table } = layouts[form.layout];
  const aggregates = [notesOf(form, kinds) ?? []].flat();
  return defineConfig({ table, kinds: listed, rules, aggregates }).registry();
}

/** The same rules with the policies of a seed. */
function withPolicies(registry: Registry, its: Policies): Registry {
  const rules = registry.rules.map((rule) => (rule.name === filesRuleName ? { ...rule, ...its } : rule));
  return { ...registry, rules, rule: (name) => rules.find((rule) => rule.name === name) };
}

const plain: Form = {
  ...{ layout: 'text', located: 'partition', names: 'both', copies: 'renamed', marks: undefined },
  ...{ isTyped: true, isKeyed: false, moves: false, hasWhen: false, creates: false, isListed: false },
  end: undefined,
};

/** Every way of locating and naming, with every policy, on tables of every shape. */
export const varied: Scenario = (seed) => {
  const random = new Random(seed ^ 0x7a61ed);
  const form = formOf(random, new Random(seed ^ 0xe4d));
  const project = madeFor(form);
  const its = policiesOf(random);
  const registry = withPolicies(project.registry, its);
  // A write of one rule may make another match.
  const countsWrites = registry.rules.length === 1 && form.end === undefined;
  const next = nextOf(random, form, registry);
  return { ...projectScenario({ ...project, registry })(seed), countsWrites, next };
};

/** Where files name their folder twice, they are of it wherever a rule finds them: another may be deployed. */
function nextOf(random: Random, form: Form, { rules: [first] }: Registry): Registry | undefined {
  if (form.names !== 'both' || form.located === 'zones' || first === undefined) return undefined;
  const others = (['partition', 'index', 'key', 'keys'] as const).filter(
    (one) => one !== form.located && (one !== 'partition' || form.layout !== 'unsorted'),
  );
  const { registry } = madeFor({ ...form, located: random.pick(others) });
  const { onDelete, onExpire, onUnlink } = random.chance(0.5) ? policiesOf(random) : first;
  return withPolicies(registry, { onDelete, onExpire, onUnlink });
}

/** The last two files of a folder in its partition; or the last one by a number, which others may share, in an index. */
export const endProjects: readonly Project[] = [
  { in: 'partition', end: 'last', most: 2, invalid: 'dead-letter' } as const,
  { in: 'zones', end: 'last', most: 1, invalid: 'dead-letter' } as const,
].map((end) => madeFor({ ...plain, end }));

/** Copies in a partition, which may stop naming their root. */
export function unlinkingProject(): Project {
  const project = madeFor(plain);
  const its = { onDelete: 'keep', onExpire: 'keep', onUnlink: 'clear' } as const;
  return { ...project, registry: withPolicies(project.registry, its) };
}
