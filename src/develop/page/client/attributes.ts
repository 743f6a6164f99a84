import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { Edit } from '../protocol/item.ts';
import type { Attributes, Key } from '../protocol/project.ts';
import { ask, messageOf } from './ask.ts';
import { Table, Value } from './parts.ts';
import { store } from './store.ts';
import { typeOf, visible } from './texts.ts';

const types = { S: 'text', N: 'number', BOOL: 'true or false', json: 'DynamoDB JSON' } as const;

interface AttributeTableProps {
  readonly of: Key;
  readonly item: Attributes;
  readonly onEdited: () => void;
}

/** The attributes of an item, each edited where it stands. */
export function AttributeTable({ of, item, onEdited }: AttributeTableProps) {
  /** The attribute that is edited; empty for a new one. */
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const [outcome, setOutcome] = useState({ text: '', mark: '' });
  const { pk, sk } = store.project.keyNames;
  const canEdit = store.can('POST /api/item');

  async function save(attribute: string, value: unknown): Promise<void> {
    try {
      const edit: Edit = { key: of, attribute, value };
      await ask('/api/item', edit);
      setOutcome({ text: `${visible(attribute)} is ${value === undefined ? 'removed' : 'set'}.`, mark: '' });
      setEdited(undefined);
      onEdited();
    } catch (error) {
      setOutcome({ text: messageOf(error), mark: 'bad' });
    }
  }

  const cell = (name: string, text: string, label: string) =>
    name === edited
      ? html`<${Editor} name=${name} value=${item[name]} save=${save} close=${() => setEdited(undefined)} />`
      : html`<button type="button" aria-label=${label} onClick=${() => setEdited(name)}>${text}</button>`;
  const rows = Object.keys(item)
    .sort()
    .map((name) => [
      visible(name),
      html`${name !== edited && html`<${Value} of=${item[name]} /> `}
        ${canEdit && name !== pk && name !== sk && cell(name, 'Edit', `Edit ${visible(name)}`)}`,
    ]);
  return html`
    <${Table} caption="Attributes" head=${['attribute', 'value']} rows=${rows} />
    ${
      canEdit &&
      html`<p>${cell('', 'Add an attribute', 'Add an attribute')}</p>
        <p role="status" class=${outcome.mark}>${outcome.text}</p>
        <p class="quiet">An edit is an UpdateItem on the local table, as your application would send it. The worker then does the
          rest.</p>`
    }
  `;
}

interface EditorProps {
  /** Empty for a new attribute. */
  readonly name: string;
  readonly value: unknown;
  readonly save: (attribute: string, value: unknown) => Promise<void>;
  readonly close: () => void;
}

function Editor({ name, value = { S: '' }, save, close }: EditorProps) {
  const [present, content] = typeOf(value);
  const isSimple = present in types;
  const [problem, setProblem] = useState('');
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const type = String(form.get('type'));
    const typed = typedValue(type, String(form.get('value')));
    if (typed !== undefined) void save(name || String(form.get('name')), typed);
    else setProblem(`Expected ${type === 'BOOL' ? types.BOOL : 'JSON such as {"SS": ["a", "b"]}'}`);
  };
  return html`<form onSubmit=${submit}>
    ${name === '' && html`<label>Attribute <input name="name" required /></label>`}
    <label>Type <select name="type">
      ${Object.entries(types).map(
        ([type, text]) =>
          html`<option value=${type} selected=${type === (isSimple ? present : 'json')}>${text}</option>`,
      )}
    </select></label>
    <label>Value <input name="value" ref=${focus} defaultValue=${isSimple ? String(content) : JSON.stringify(value)} /></label>
    <button>Set</button>
    ${name !== '' && html`<button type="button" onClick=${() => void save(name, undefined)}>Remove</button>`}
    <button type="button" onClick=${close}>Cancel</button>
    <span class="bad" role="alert">${problem}</span>
  </form>`;
}

/** The button that opened the editor is gone, and the focus with it. */
function focus(input: HTMLInputElement | null): void {
  if (document.activeElement === document.body) input?.focus();
}

function typedValue(type: string, text: string): unknown {
  if (type === 'S' || type === 'N') return { [type]: text };
  try {
    const value: unknown = JSON.parse(text);
    if (type === 'json') return value;
    return typeof value === 'boolean' ? { BOOL: value } : undefined;
  } catch {
    return undefined;
  }
}
