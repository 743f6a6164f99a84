import { html } from 'htm/preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { valueText, visible } from '../../model/basics/text.ts';
import type { ActionOutcome, ExampleItem, ExampleView } from '../protocol/views.ts';
import { ask, errorText, useAnswer } from './ask.ts';
import { Failed, refocus } from './parts.ts';
import { store } from './store.ts';
import { cut, shownKey } from './texts.ts';

/** What a table shows in which nothing has changed yet: items to write, of which one follows another. */
export function FirstSteps() {
  const { table, endpoint, rules } = store.project;
  const { answer, error } = useAnswer<Partial<ExampleView>>('/api/example');
  const [{ text, isGood }, setOutcome] = useState<Partial<ActionOutcome>>({});
  const [isCopied, setCopied] = useState(false);
  const button = useRef<HTMLElement>(null);
  // The list may come in its place before or after the answer to what it asked.
  const leave = () => {
    if (document.activeElement === button.current) setTimeout(() => refocus(document.getElementById('main')));
  };
  useLayoutEffect(() => leave, []);
  if (answer === undefined && error === undefined) return undefined;
  const { rule, before, after, copies = [], attribute = '', copyAttribute = attribute } = answer ?? {};
  const where = html`<code>${endpoint}</code>, table <code>${table}</code>, with any region and credentials`;
  if (after === undefined)
    return html`<${Failed} error=${error} />
      <p>Write an item with any AWS SDK at ${where}: it is listed here, with what the rules make of it.</p>
      ${answer?.why && html`<p class="quiet">No example: ${visible(answer.why)}</p>`}`;

  async function write(): Promise<void> {
    const fail = (failed: unknown) => setOutcome({ text: errorText(failed), isGood: false });
    await ask<Partial<ActionOutcome>>('/api/example', {}).then(setOutcome, fail);
  }
  const command = [before, ...copies, after].flatMap((one) => (one ? putCommand(one) : [])).join('\n');
  const copy = () => navigator.clipboard.writeText(command).then(() => setCopied(true));
  const own = rules.find(({ name }) => name === rule);
  const node = (name: string, { kind, key, item }: ExampleItem, was?: ExampleItem) => {
    const values = [was?.item, item].flatMap((one) => (one ? cut(valueText(one[name])) : []));
    return html`<div class="kind">
      <strong>${kind}</strong> <code>${shownKey(key)}</code>
      ${Object.hasOwn(item, name) && html`<div>${visible(name)} <code>${values.join(' → ')}</code></div>`}
    </div>`;
  };
  const made = own?.to === own?.from[0] ? 'the item itself' : 'a copy, which the rule creates';
  return html`<section class="kind">
    <h3>Nothing has changed in this run</h3>
    <div class="flow">
      ${node(attribute, after, before)} ⟶
      <div class="kind"><strong>worker</strong> <code>${rule}</code></div> ⟶
      ${copies.length > 0 ? copies.map((one) => node(copyAttribute, one)) : html`<div class="kind">${made}</div>`}
    </div>
    <p>
      <button type="button" class="main" ref=${button} onClick=${write}>Write ${['this item', 'these two'][copies.length] ?? 'these'}</button>
      ${before !== undefined && ` ${visible(attribute)} changes right after. Watch what follows.`}
    </p>
    <p role="status" class=${isGood ? '' : 'bad'}>${text}</p>
    <p>Or paste this in a terminal: <button type="button" onClick=${copy}>${isCopied ? 'Copied' : 'Copy'}</button></p>
    <pre aria-label="Commands">${command}</pre>
    <p>Or use any AWS SDK at ${where}.</p>
  </section>`;
}

function putCommand({ item }: ExampleItem): string {
  const json = JSON.stringify(item).replaceAll("'", `'\\''`);
  const { table, endpoint } = store.project;
  return `AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws dynamodb put-item --region us-east-1 \\
  --endpoint-url ${endpoint} --table-name ${table} --item '${json}'`;
}
