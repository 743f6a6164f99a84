import type { ExplainedWork, ExplainedWrite, NamedKey } from '../protocol/explanation.ts';
import type { ItemView } from '../protocol/item.ts';
import type { Key } from '../protocol/project.ts';
import { attributeEditor } from './attribute-editor.ts';
import { element, field, redraw, tableOf } from './element.ts';
import { ask } from './requests.ts';
import type { PageState } from './state.ts';
import { counted, countsText, eventText, keyText, milliseconds, number, typeOf, valueText } from './texts.ts';
import { link, type View } from './view.ts';

/** One item by its key: what it is, what `denorm explain` says, its archived states; its attributes can be edited. */
export function itemView(state: PageState, parameters: URLSearchParams): View {
  const { project } = state;
  const { pk: pkName, sk: skName } = project.keyNames;
  const key: Key = { pk: parameters.get('pk') ?? '', sk: parameters.get('sk') ?? '' };
  const pk = element('input', { id: 'pk', required: true, value: key.pk });
  const sk = element('input', { id: 'sk', required: true, value: key.sk });
  const head = element('div', { 'aria-live': 'polite' });
  const editor = attributeEditor(key, project.keyNames, look);
  editor.form.hidden = true;
  const follows = element('div', { 'aria-live': 'polite' });
  const found = element('div');
  const isNamed = key.pk !== '' && key.sk !== '';
  const opened = Date.now();
  let isLooking = false;
  /** The changes that the worker had dealt with when the item was last looked up. */
  let dealtWith = '[]';

  async function look(): Promise<void> {
    isLooking = true;
    try {
      const view = await ask<ItemView>(`/api/item?${new URLSearchParams({ ...key })}`);
      redraw(head, ...whatItIs(view, state));
      if (view.item !== undefined) editor.show(view.item);
      editor.form.hidden = view.item === undefined || !project.abilities.includes('edit');
      redraw(found, ...shownItem(view));
    } catch (error) {
      head.replaceChildren(element('p', { class: 'bad' }, error instanceof Error ? error.message : 'failed'));
    } finally {
      isLooking = false;
      followed();
    }
  }

  function followed(): void {
    const changes = state
      .newest()
      .filter((change) => change.at >= opened && change.key.pk === key.pk && change.key.sk === key.sk)
      .slice(0, 10);
    if (changes.length === 0) return;
    const now = JSON.stringify(changes.map(({ id, rules }) => [id, rules.map((one) => one.state)]));
    const isDone = changes.every(({ rules }) => rules.every((one) => one.state === 'done'));
    if (isDone && now !== dealtWith && !isLooking) {
      dealtWith = now;
      void look();
    }
    redraw(
      follows,
      element('h3', {}, 'What followed'),
      element(
        'ul',
        {},
        ...changes.map((change) =>
          element(
            'li',
            {},
            element('a', { href: link('change', { id: String(change.id) }) }, eventText(change)),
            `: ${
              change.rules
                .filter(({ asks }) => asks !== 'nothing')
                .map((rule) => `${rule.rule} ${countsText(rule)} ${milliseconds(rule.milliseconds)}`)
                .join('; ') || 'no rule matches'
            }`,
            change.arrived === 0 ? '' : `; ${counted(change.arrived, 'copy', 'copies')} arrived`,
          ),
        ),
      ),
    );
  }

  if (isNamed) void look();
  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'An item'),
      element(
        'form',
        {
          class: 'filters',
          submit: (event) => {
            event.preventDefault();
            const address = link('item', { pk: pk.value, sk: sk.value });
            if (location.hash === address) void look();
            else location.hash = address;
          },
        },
        field(pkName, pk),
        field(skName, sk),
        element('button', {}, 'Look up'),
      ),
      head,
      editor.form,
      follows,
      found,
    ),
    news: followed,
  };
}

function whatItIs({ item, key, explanation }: ItemView, { project }: PageState): readonly HTMLElement[] {
  const { kinds = [], problem } = explanation.subjects[0] ?? {};
  return [
    element('h3', {}, element('code', {}, keyText(key, project.keyNames))),
    element(
      'p',
      {},
      item === undefined
        ? `No such item${kinds.length === 0 ? ', and no kind has such a key.' : `. The key is that of ${kinds.join(' or ')}.`}`
        : (problem ?? (kinds.join(' and ') || 'Of no kind of any rule')),
    ),
  ];
}

function shownItem({ item, explanation, archived }: ItemView): readonly HTMLElement[] {
  const rules = explanation.subjects.flatMap((subject) => subject.rules);
  const work = explanation.rounds[0]?.work ?? [];
  const { readUnits, writeUnits } = explanation.cost;
  return [
    ...(item === undefined
      ? []
      : [
          tableOf(
            'Attributes',
            ['attribute', 'type', 'value'],
            Object.keys(item)
              .sort()
              .map((name) => [name, typeOf(item[name])[0], valueText(item, name) ?? '']),
          ),
        ]),
    element('h3', {}, 'What the worker would do now'),
    ...(rules.length === 0
      ? [element('p', { class: 'quiet' }, 'No rule is concerned.')]
      : [
          tableOf(
            'Its role in each rule',
            ['rule', 'the item is', 'of', 'why'],
            rules.map(({ rule, as, of, why }) => [rule, as, of.map(namedKeyText).join(', '), why]),
          ),
        ]),
    ...work.map((one) =>
      element(
        'details',
        { open: one.writes.length > 0 || one.deadLettered.length > 0 },
        element('summary', {}, workText(one)),
        element(
          'ul',
          {},
          ...one.where.map((place) => element('li', {}, `${one.computes ? 'members' : 'copies'}: ${place}`)),
          ...one.writes
            .slice(0, maxWrites)
            .map((write) =>
              element('li', {}, element('code', {}, namedKeyText(write.key)), ` ${writeText(write)}`),
            ),
          ...one.deadLettered.map((reason) =>
            element('li', { class: 'bad' }, `would be dead-lettered: ${reason}`),
          ),
        ),
      ),
    ),
    ...(work.length === 0
      ? []
      : [
          element(
            'p',
            { class: 'quiet' },
            `It would cost ${work.some(({ notFollowed }) => notFollowed > 0) ? 'more than ' : ''}${number(readUnits)} RCU and ${number(writeUnits.total)} WCU.`,
          ),
        ]),
    element('h3', {}, 'Archived states'),
    ...(archived.length === 0 ? [element('p', { class: 'quiet' }, 'None.')] : []),
    ...archived.map((stateOf) =>
      element(
        'details',
        {},
        element(
          'summary',
          {},
          `${new Date(stateOf.archivedAt).toLocaleString('en-GB')}, ${stateOf.kind}${stateOf.final ? ', its last state' : ''}, id ${stateOf.id}`,
        ),
        stateOf.item === undefined
          ? element('p', {}, `Its content is not shown: ${stateOf.unread ?? 'it was not read'}.`)
          : tableOf(
              'Archived attributes',
              ['attribute', 'value'],
              Object.keys(stateOf.item)
                .sort()
                .map((name) => [name, valueText(stateOf.item, name) ?? '']),
            ),
      ),
    ),
  ];
}

/** Writes that are listed: a page is no place for more. */
const maxWrites = 100;

function namedKeyText(key: NamedKey): string {
  return JSON.stringify(key);
}

function writeText({ does, set, remove }: ExplainedWrite): string {
  const texts = [
    ...(set.length > 0 ? [`sets ${set.join(', ')}`] : []),
    ...(remove.length > 0 ? [`removes ${remove.join(', ')}`] : []),
  ];
  return [...(does === 'create' || does === 'delete' ? [`${does}s it`] : []), ...texts].join(', ');
}

/** What a propagation or a computation would do, in one line. */
function workText({ rule, computes, key, found, notFollowed }: ExplainedWork): string {
  const { members, written, removed, unchanged } = found;
  if (!computes)
    return `${rule}: ${number(written + removed)} to write, ${number(unchanged)} right already${notFollowed > 0 ? '; further copies were not read' : ''}`;
  const are = written > 0 ? 'to write' : unchanged > 0 ? 'right already' : 'none: there is no such target';
  return `${rule}: totals of ${namedKeyText(key)} from ${counted(members, 'member', 'members')}, ${are}`;
}
