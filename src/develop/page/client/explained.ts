import { html } from 'htm/preact';
import type { ExplainedWork, ExplainedWrite, Explanation, NamedKey } from '../protocol/explanation.ts';
import type { Key } from '../protocol/project.ts';
import { counted, number, visible } from '../protocol/texts.ts';
import { KeyLink, Table } from './parts.ts';
import { keyText } from './texts.ts';

/** Writes that are listed: a page is no place for more. */
const maxWrites = 100;

export function Explained({ explanation }: { readonly explanation: Explanation }) {
  const rules = explanation.subjects.flatMap((subject) => subject.rules);
  const work = explanation.rounds[0]?.work ?? [];
  const { readUnits, writeUnits } = explanation.cost;
  const isPart = work.some(({ notFollowed }) => notFollowed > 0);
  return html`
    <h3>What the worker would do now</h3>
    ${
      rules.length === 0
        ? html`<p class="quiet">No rule is concerned.</p>`
        : html`<${Table}
          caption="Its role in each rule"
          head=${['rule', 'the item is', 'of', 'why']}
          rows=${rules.map(({ rule, as, of, why }) => {
            const links = of.map((key) => html`<${KeyLink} of=${keyIn(key)} /> `);
            return [rule, as, html`${links}`, visible(why)];
          })}
        />`
    }
    ${work.map((one) => html`<${Work} work=${one} />`)}
    ${
      work.length > 0 &&
      html`<p class="quiet">It would cost ${isPart && 'more than '}${number(readUnits)} RCU and ${number(writeUnits.total)} WCU.</p>`
    }
  `;
}

function Work({ work }: { readonly work: ExplainedWork }) {
  const { writes, deadLettered, where, computes } = work;
  return html`<details open=${writes.length > 0 || deadLettered.length > 0}>
    <summary>${workText(work)}</summary>
    <ul>
      ${where.map((place) => html`<li>${computes ? 'members' : 'copies'}: ${visible(place)}</li>`)}
      ${writes.slice(0, maxWrites).map((write) => html`<li><${KeyLink} of=${keyIn(write.key)} /> ${writeText(write)}</li>`)}
      ${deadLettered.map((reason) => html`<li class="bad">would be dead-lettered: ${visible(reason)}</li>`)}
    </ul>
  </details>`;
}

/** Keys of an explanation have the table's names, the partition key first. */
function keyIn(named: NamedKey): Key {
  const [pk = '', sk = ''] = Object.values(named).map(String);
  return { pk, sk };
}

function writeText({ does, set, remove }: ExplainedWrite): string {
  const texts = [
    ...(does === 'create' || does === 'delete' ? [`${does}s it`] : []),
    ...(set.length > 0 ? [`sets ${set.join(', ')}`] : []),
    ...(remove.length > 0 ? [`removes ${remove.join(', ')}`] : []),
  ];
  return visible(texts.join(', '));
}

function workText({ rule, computes, key, found, notFollowed }: ExplainedWork): string {
  const { members, written, removed, unchanged } = found;
  if (!computes)
    return `${rule}: ${number(written + removed)} to write, ${number(unchanged)} right already${notFollowed > 0 ? '; further copies were not read' : ''}`;
  const are = written > 0 ? 'to write' : unchanged > 0 ? 'right already' : 'none: there is no such target';
  return `${rule}: totals of ${keyText(keyIn(key))} from ${counted(members, 'member')}, ${are}`;
}
