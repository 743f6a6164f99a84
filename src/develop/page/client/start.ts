import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { ExampleItem, ExampleView } from '../protocol/item.ts';
import { valueText, visible } from '../protocol/texts.ts';
import { ask, messageOf, useAnswer } from './ask.ts';
import { Failed } from './parts.ts';
import { store } from './store.ts';
import { keyText } from './texts.ts';

/** What a table shows in which nothing has changed yet: items to write, of which one follows another. */
export function Start() {
  const { table, endpoint } = store.project;
  const { answer } = useAnswer<Partial<ExampleView>>('/api/example');
  const [error, setError] = useState<string | undefined>(undefined);
  const [isCopied, setCopied] = useState(false);
  if (answer === undefined) return undefined;
  const { rule, before, after, copies = [], attribute = '' } = answer;
  const where = html`<code>${endpoint}</code>, table <code>${table}</code>, with any region and credentials`;
  if (after === undefined)
    return html`<p>Write an item with any AWS SDK at ${where}: it is listed here, with what the rules make of it.</p>
      ${answer.why && html`<p class="quiet">No example: ${visible(answer.why)}</p>`}`;
  const write = () => ask('/api/example', {}).catch((failed: unknown) => setError(messageOf(failed)));
  const command = [before, ...copies, after].flatMap((one) => one && putCommand(one)).join('\n');
  const copy = () => navigator.clipboard.writeText(command).then(() => setCopied(true));
  const node = ({ kind, key }: ExampleItem, ...values: readonly (ExampleItem | undefined)[]) =>
    html`<div class="kind">
      <strong>${kind}</strong> <code>${keyText(key)}</code>
      ${attribute !== '' && html`<div>${visible(attribute)} <code>${values.flatMap((one) => one && valueText(one.item[attribute])).join(' → ')}</code></div>`}
    </div>`;
  const items = copies.length > 0 ? 'these two' : 'this item';
  return html`<section class="kind">
    <h3>Nothing has changed yet</h3>
    <div class="flow">
      ${node(after, before, after)} ⟶
      <div class="kind"><strong>worker</strong> <code>${rule}</code></div> ⟶
      ${copies.length > 0 ? copies.map((one) => node(one, one)) : html`<div class="kind">a copy, which the rule creates</div>`}
    </div>
    <p>
      <button type="button" class="main" onClick=${write}>Write ${items}</button>
      ${before !== undefined && ` ${visible(attribute)} changes right after. Watch what follows.`}
    </p>
    <${Failed} error=${error} />
    <p>Or paste this in a terminal: <button type="button" onClick=${copy}>${isCopied ? 'Copied' : 'Copy'}</button></p>
    <pre tabindex="0" aria-label="Commands">${command}</pre>
    <p>Or use any AWS SDK at ${where}.</p>
  </section>`;
}

function putCommand({ item }: ExampleItem): string {
  const json = JSON.stringify(item).replaceAll("'", `'\\''`);
  const { table, endpoint } = store.project;
  return `AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws dynamodb put-item --region us-east-1 \\
  --endpoint-url ${endpoint} --table-name ${table} --item '${json}'`;
}
