import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { typeAndContent, visible } from '../../model/basics/text.ts';
import type { Attributes, Edit, Key } from '../protocol/views.ts';
import { ask, errorText } from './ask.ts';
import { AttributeText, refocus, Table } from './parts.ts';
import { store } from './store.ts';

interface AttributeTableProps {
  readonly of: Key;
  readonly item: Attributes;
  readonly onEdited: () => void;
}

export function AttributeTable({ of, item, onEdited }: AttributeTableProps) {
  /** The attribute that is edited, empty for a new one; if none is, the one that was: the focus goes to its button. */
  const [[edited, last], setEdited] = useState<readonly (string | undefined)[]>([]);
  const open = (name: string | undefined) => setEdited([name, name === undefined ? edited : undefined]);
  const [{ text, mark }, setOutcome] = useState({ text: '', mark: '' });
  const status = useRef<HTMLElement>(null);
  const { pk, sk } = store.project.keyNames;
  const canEdit = store.can('POST /api/item');

  async function save(attribute: string, value: unknown): Promise<void> {
    try {
      if (edited === '' && Object.hasOwn(item, attribute))
        throw new Error(`The item has ${visible(attribute)} already: edit it where it stands`);
      const edit: Edit = { key: of, attribute, value };
      await ask('/api/item', edit);
      setOutcome({ text: `${visible(attribute)} is ${value === undefined ? 'removed' : 'set'}.`, mark: '' });
      open(undefined);
      if (value === undefined) status.current?.focus();
      onEdited();
    } catch (error) {
      setOutcome({ text: errorText(error), mark: 'bad' });
    }
  }

  const cell = (name: string, label: string, text: string) =>
    name === edited
      ? html`<${Editor} name=${name} value=${item[name]} save=${save} close=${() => open(undefined)} />`
      : html`<button type="button" ref=${name === last ? refocus : undefined} aria-label=${label} onClick=${() => open(name)}>${text}</button>`;
  const names = Object.keys(item).sort();
  const rows = names.map((name) => [
    visible(name),
    html`${name !== edited && html`<${AttributeText} of=${item[name]} /> `}
      ${canEdit && name !== pk && name !== sk && cell(name, `Edit ${visible(name)}`, 'Edit')}`,
  ]);
  return html`
    <${Table} caption="Attributes" head=${['attribute', 'value']} rows=${rows} keys=${names} />
    ${canEdit && html`<p>${cell('', 'Add an attribute', 'Add an attribute')}</p>`}
    <p role="status" tabindex="-1" ref=${status} class=${mark}>${text}</p>
  `;
}

interface EditorProps {
  /** Empty for a new attribute. */
  readonly name: string;
  readonly value: unknown;
  readonly save: (attribute: string, value: unknown) => Promise<void>;
  readonly close: () => void;
}

function Editor({ name, value, save, close }: EditorProps) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void save(name || String(form.get('name')), readValue(String(form.get('value'))));
  };
  return html`<form onSubmit=${submit}>
    ${name === '' && html`<label>Attribute <input name="name" required /></label>`}
    <label>Value <input name="value" size="40" ref=${refocus} defaultValue=${writtenValue(value)} /></label>
    <button>Set</button>
    ${name !== '' && html`<button type="button" onClick=${() => void save(name, undefined)}>Remove</button>`}
    <button type="button" onClick=${close}>Cancel</button>
    <span class="quiet">a number, true, false, DynamoDB JSON such as {"SS": ["a"]}, or a text, in quotes if it looks like one of them</span>
  </form>`;
}

function writtenValue(value: unknown): string {
  const [type, content] = typeAndContent(value);
  if (value === undefined) return '';
  if (type === 'N' || type === 'BOOL') return String(content);
  return JSON.stringify(type === 'S' ? content : value);
}

/** What is no JSON is a text as it is. A number keeps all its digits. */
function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const types: Readonly<Record<string, unknown>> = {
      number: { N: text.trim() },
      string: { S: value },
      boolean: { BOOL: value },
    };
    return types[typeof value] ?? value;
  } catch {
    return { S: text };
  }
}
