import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { typeAndContent, visible } from '../../model/basics/text.ts';
import type { Attributes, Edit, Key, Owner } from '../protocol/views.ts';
import { ask, errorText } from './ask.ts';
import { AttributeText, KeyLink, refocus, Table } from './parts.ts';
import { store } from './store.ts';
import { moment } from './texts.ts';

interface AttributeTableProps {
  readonly of: Key;
  readonly item: Attributes;
  readonly owners: Readonly<Record<string, Owner>>;
  readonly onEdited: () => void;
}

/** Keys first. What the worker writes is edited only by a word of its own. */
export function AttributeTable({ of, item, owners, onEdited }: AttributeTableProps) {
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
      ? html`<${Editor} name=${name} value=${item[name]} rule=${owners[name]?.rule} save=${save} close=${() => open(undefined)} />`
      : html`<button type="button" ref=${name === last ? refocus : undefined} aria-label=${label} onClick=${() => open(name)}>${text}</button>`;
  const names = namesOf(item);
  const rows = names.map((name) => {
    const edit = owners[name]?.rule === undefined ? 'Edit' : 'Edit anyway';
    return [
      visible(name),
      html`${name !== edited && html`<${AttributeText} of=${item[name]} /> `}
        ${name === store.project.ttl && html`<span class="quiet">${expiryText(item[name])}</span> `}
        ${canEdit && name !== pk && name !== sk && cell(name, `${edit} ${visible(name)}`, edit)}`,
      ownerText(owners[name]),
    ];
  });
  return html`
    <${Table} caption="Attributes, and who writes them" head=${['attribute', 'value', 'written by']} rows=${rows} keys=${names} />
    ${canEdit && html`<p>${cell('', 'Add an attribute', 'Add an attribute')}</p>`}
    <p role="status" tabindex="-1" ref=${status} class=${mark}>${text}</p>
  `;
}

/** The names of an item's attributes: keys first. */
export function namesOf(item: Attributes): string[] {
  const { pk, sk } = store.project.keyNames;
  const keys = [pk, sk].filter((name) => Object.hasOwn(item, name));
  return [
    ...keys,
    ...Object.keys(item)
      .filter((name) => !keys.includes(name))
      .sort(),
  ];
}

function expiryText(value: unknown): string {
  const [type, content] = typeAndContent(value);
  if (type !== 'N') return 'no expiry: it is no number';
  const at = Number(content) * 1_000;
  return `${at > Date.now() ? 'expires' : 'expiry passed'} ${moment(at)}`;
}

function ownerText({ text, root, rule }: Owner = { text: 'you' }) {
  return html`${visible(text)} ${root && html`<${KeyLink} of=${root} /> `}${rule && `by ${rule}`}`;
}

interface EditorProps {
  /** Empty for a new attribute. */
  readonly name: string;
  readonly value: unknown;
  /** The rule that writes it. */
  readonly rule: string | undefined;
  readonly save: (attribute: string, value: unknown) => Promise<void>;
  readonly close: () => void;
}

function Editor({ name, value, rule, save, close }: EditorProps) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void save(name || String(form.get('name')), readValue(String(form.get('value'))));
  };
  return html`<form onSubmit=${submit}>
    ${rule !== undefined && html`<strong class="lit">${rule} writes it again.</strong>`}
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
