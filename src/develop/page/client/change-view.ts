import type { ChangeDetail } from '../protocol/changes.ts';
import { comparison } from './comparison.ts';
import { element, redraw, tableOf } from './element.ts';
import { ask } from './requests.ts';
import type { PageState } from './state.ts';
import { counted, countsText, eventText, keyText, milliseconds, number, time } from './texts.ts';
import { link, type View } from './view.ts';

/** One change: what each rule made of it, and the root and a copy side by side. */
export function changeView(state: PageState, parameters: URLSearchParams): View {
  const id = Number(parameters.get('id'));
  const facts = element('div', {}, 'asking');
  const sides = element('div');
  let shown: string | undefined;
  let kept: ChangeDetail | undefined;
  let isAsking = false;
  /** The copy that is compared, by its place in the list. */
  let chosen = 0;

  async function update(): Promise<void> {
    const now = JSON.stringify(state.changes.get(id)) ?? '';
    // What is forgotten, here or by the server, stays as it was shown last.
    if (isAsking || now === shown || (shown !== undefined && now === '')) return;
    isAsking = true;
    try {
      const asked = await ask<ChangeDetail>(`/api/changes/${id}`);
      const detail = asked.contentKept ? asked : { ...asked, ...contentOf(kept) };
      kept = detail;
      facts.replaceChildren(...factsOf(detail, state));
      drawSides(detail);
    } catch (error) {
      facts.replaceChildren(
        element('p', { class: 'bad' }, error instanceof Error ? error.message : 'failed'),
      );
    } finally {
      shown = now;
      isAsking = false;
    }
  }

  function drawSides(detail: ChangeDetail): void {
    const { before, after, copies, contentKept, change } = detail;
    if (!contentKept) {
      sides.replaceChildren(element('p', {}, 'Its content is not kept any more.'));
      return;
    }
    const copy = copies[chosen];
    const choice = element(
      'select',
      {
        id: 'copy',
        change: (event) => {
          chosen = event.target instanceof HTMLSelectElement ? event.target.selectedIndex : 0;
          drawSides(detail);
        },
      },
      ...copies.map(({ key }, at) =>
        element('option', { selected: at === chosen }, keyText(key, state.project.keyNames)),
      ),
    );
    const unlisted = change.arrived - copies.length;
    const more = unlisted > 0 ? ` ${number(unlisted)} more copies are only counted.` : '';
    const own = change.kinds.join(' and ') || 'item';
    const kind = state.project.rules.find(({ name }) => name === copy?.rule)?.to;
    // Both are of one kind if a copy was checked, or if the item is its own copy.
    const other = kind === undefined || kind === own ? 'copy' : kind;
    redraw(
      sides,
      element('h3', {}, 'Before and after'),
      copy === undefined
        ? element('p', { class: 'quiet' }, 'No copy has arrived.')
        : element(
            'p',
            {},
            element('label', { for: 'copy' }, `Copy (${number(change.arrived)}) `),
            choice,
            ` written ${milliseconds(copy.lag)} after the change was read, by ${copy.rule || 'a removal'}.${more}`,
          ),
      comparison(`${copy === undefined ? own : `${own} and ${other}`}, attribute by attribute`, [
        [
          { title: `${own} before`, item: before },
          { title: `${own} after`, item: after },
        ],
        ...(copy === undefined
          ? []
          : ([
              [
                { title: `${other} before`, item: copy.before },
                { title: `${other} after`, item: copy.after },
              ],
            ] as const)),
      ]),
    );
  }

  return {
    element: element(
      'section',
      {},
      element('p', {}, element('a', { href: link('changes') }, 'All changes')),
      facts,
      sides,
    ),
    news: () => void update(),
  };
}

function contentOf(detail: ChangeDetail | undefined): Partial<ChangeDetail> {
  if (detail === undefined) return {};
  const { before, after, contentKept, copies } = detail;
  return { before, after, contentKept, copies };
}

function factsOf({ change }: ChangeDetail, { project }: PageState): readonly HTMLElement[] {
  const { key, kinds, requests, readUnits, writeUnits, sharedWith, arrived, maxLag } = change;
  const shared =
    sharedWith === 0 ? '' : `, shared with ${counted(sharedWith, 'change', 'changes')} read meanwhile`;
  return [
    element(
      'h2',
      {},
      `${kinds.join(' and ') || 'An item of no kind'} ${eventText(change)} at ${time(change.at)}`,
    ),
    element(
      'p',
      {},
      element(
        'a',
        { href: link('item', { pk: key.pk, sk: key.sk }) },
        element('code', {}, keyText(key, project.keyNames)),
      ),
    ),
    tableOf(
      'Rules',
      ['rule', 'says', 'did', 'took'],
      change.rules.map((one) => [one.rule, one.says, countsText(one), milliseconds(one.milliseconds)]),
    ),
    element(
      'p',
      {},
      `${counted(arrived, 'copy', 'copies')} arrived${maxLag === undefined ? '' : `, the last after ${milliseconds(maxLag)}`}. ` +
        `The worker used ${number(requests)} requests and ${number(readUnits)} read units${shared}; ` +
        `the copies cost ${number(writeUnits)} write units.`,
    ),
  ];
}
