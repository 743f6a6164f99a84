import type { RuleView } from '../protocol/project.ts';
import type {
  DeadLettersView,
  DeadLetterView,
  FailedBatchesView,
  RedriveOutcomeView,
  VerifyView,
} from '../protocol/trouble.ts';
import { element, tableOf } from './element.ts';
import { ask, send } from './requests.ts';
import type { PageState } from './state.ts';
import { keyText, number } from './texts.ts';
import { link, type View } from './view.ts';

/** Dead letters, drift, and rules that have matched nothing so far. */
export function troubleView(state: PageState): View {
  const { project } = state;
  const isLive = project.abilities.includes('changes');
  const letters = element('div');
  const batches = element('div');
  const outcome = element('p', { role: 'status', tabindex: '-1' });
  const drift = element('div', { 'aria-live': 'polite' });
  const silent = element('div');
  let deadLettered = -1;
  let isVerifying = false;

  const fails = (place: HTMLElement) => (error: unknown) =>
    place.replaceChildren(
      element('span', { class: 'bad' }, error instanceof Error ? error.message : 'failed'),
    );

  async function list(): Promise<void> {
    const view = await ask<DeadLettersView>('/api/dead-letters');
    const more =
      view.unseen === 0
        ? []
        : [element('p', { class: 'quiet' }, `About ${number(view.unseen)} more are not listed.`)];
    letters.replaceChildren(...deadLetterList(view.deadLetters, state, redrive), ...more);
  }

  async function listBatches(): Promise<void> {
    batches.replaceChildren(...failedBatchList(await ask('/api/failed-batches')));
  }

  function look(): void {
    list().catch(fails(letters));
    if (project.abilities.includes('metrics')) listBatches().catch(fails(batches));
  }

  async function redrive(ids: readonly string[]): Promise<void> {
    try {
      const { redriven, left } = await send<RedriveOutcomeView>('/api/dead-letters', { ids });
      const rest = left === 0 ? '' : `, ${number(left)} left: their rules are unknown`;
      outcome.textContent = `${number(redriven)} sent to the fan-out queue again${rest}.`;
      await list();
      // The button is gone, and the focus with it.
      if (document.activeElement === document.body) outcome.focus();
    } catch (error) {
      fails(outcome)(error);
    }
  }

  async function verify(): Promise<void> {
    if (isVerifying) return;
    isVerifying = true;
    drift.replaceChildren('Reading the table');
    try {
      drift.replaceChildren(...driftList(await send('/api/verify'), state));
    } finally {
      isVerifying = false;
    }
  }

  const start = element(
    'button',
    { type: 'button', click: () => void verify().catch(fails(drift)) },
    'Compare all copies with their roots',
  );

  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Trouble'),
      element('h3', {}, 'Dead letters'),
      outcome,
      ...(isLive
        ? []
        : [element('p', {}, element('button', { type: 'button', click: look }, 'Read them again'))]),
      letters,
      ...(project.abilities.includes('metrics')
        ? [element('h3', {}, 'Batches that Lambda gave up'), batches]
        : []),
      ...(project.abilities.includes('verify')
        ? [element('h3', {}, 'Drift'), element('p', {}, start, ' It writes nothing.'), drift]
        : []),
      ...(isLive ? [element('h3', {}, 'Rules that matched nothing so far'), silent] : []),
    ),
    news() {
      const counts = Object.values(state.rules);
      const now = counts.reduce((sum, one) => sum + one.deadLettered, 0);
      if (now !== deadLettered) {
        deadLettered = now;
        look();
      }
      const hasMatched = ({ id }: RuleView) => {
        const { matched = 0, written = 0 } = state.rules[id] ?? {};
        return matched + written > 0;
      };
      const names = new Set(project.rules.map(({ name }) => name));
      for (const rule of project.rules) if (hasMatched(rule)) names.delete(rule.name);
      silent.replaceChildren(
        names.size === 0
          ? element('p', { class: 'quiet' }, 'None: each has matched.')
          : element('ul', {}, ...[...names].map((name) => element('li', {}, name))),
      );
    },
  };
}

function deadLetterList(
  deadLetters: readonly DeadLetterView[],
  { project }: PageState,
  redrive: (ids: readonly string[]) => Promise<void>,
): readonly HTMLElement[] {
  if (deadLetters.length === 0) return [element('p', { class: 'quiet' }, 'None.')];
  const can = project.abilities.includes('redrive');
  const button = (text: string, ids: readonly string[]) =>
    element('button', { type: 'button', click: () => void redrive(ids) }, text);
  const redrivable = deadLetters.filter((one) => one.redrivable);
  return [
    tableOf(
      'Dead letters, newest first',
      ['when', 'rule', 'root', 'reason', ...(can ? ['redrive'] : [])],
      deadLetters.map(({ id, at, rule, root, code, reason, redrivable: isRedrivable }) => [
        new Date(at).toLocaleString('en-GB'),
        rule ?? '–',
        root === undefined
          ? '–'
          : element(
              'a',
              { href: link('item', { pk: root.pk, sk: root.sk }) },
              keyText(root, project.keyNames),
            ),
        `${code}: ${reason}`,
        ...(can ? [isRedrivable ? button('Redrive', [id]) : 'not possible'] : []),
      ]),
    ),
    ...(can && redrivable.length > 1
      ? [
          element(
            'p',
            {},
            button(
              `Redrive all ${number(redrivable.length)}`,
              redrivable.map(({ id }) => id),
            ),
          ),
        ]
      : []),
  ];
}

/** By their keys, which tell the mapping, the shard and the time. */
function failedBatchList({ name, keys, more }: FailedBatchesView): readonly HTMLElement[] {
  if (keys.length === 0) return [element('p', { class: 'quiet' }, 'None.')];
  const count = `${number(keys.length)}${more ? ' and more' : ''} in ${name}`;
  return [
    element('p', {}, `${count}: npx denorm dlq redrive runs them again.`),
    element('ul', {}, ...keys.map((key) => element('li', {}, element('code', {}, key)))),
  ];
}

function driftList(
  { items, copies, drift, found }: VerifyView,
  { project }: PageState,
): readonly HTMLElement[] {
  const read = `${number(items)} items read, ${number(copies)} copies and totals compared`;
  if (found === 0) return [element('p', {}, `${read}: no drift.`)];
  return [
    element('p', { class: 'bad' }, `${read}: ${number(found)} drifted.`),
    tableOf(
      'Drift',
      ['kind', 'rule', 'copy', 'says'],
      drift.map(({ kind, rule, copy, says }) => [
        kind,
        rule,
        element('a', { href: link('item', { pk: copy.pk, sk: copy.sk }) }, keyText(copy, project.keyNames)),
        says,
      ]),
    ),
  ];
}
