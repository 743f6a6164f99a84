import type { Edit } from '../protocol/item.ts';
import type { Attributes, Key } from '../protocol/project.ts';
import { element, field } from './element.ts';
import { send } from './requests.ts';
import { typeOf, valueText } from './texts.ts';

const types = [
  ['S', 'text'],
  ['N', 'number'],
  ['BOOL', 'true or false'],
  ['json', 'DynamoDB JSON'],
] as const;

export interface AttributeEditor {
  readonly form: HTMLElement;
  /** The item as it is now: what was typed stays. */
  show(item: Attributes): void;
}

/** A form that sets or removes one attribute of an item. */
export function attributeEditor(key: Key, keyNames: Key, reload: () => Promise<void>): AttributeEditor {
  let item: Attributes = {};
  const outcome = element('p', { role: 'status' });
  const options = element('datalist', { id: 'attributes' });
  const name = element('input', { id: 'attribute', list: 'attributes', required: true, input: () => fill() });
  const type = element(
    'select',
    { id: 'type' },
    ...types.map(([value, text]) => element('option', { value }, text)),
  );
  const value = element('input', { id: 'value' });

  function fill(): void {
    if (!Object.hasOwn(item, name.value)) return;
    const [present, content] = typeOf(item[name.value]);
    const isSimple = present === 'S' || present === 'N' || present === 'BOOL';
    type.value = isSimple ? present : 'json';
    value.value = isSimple ? (valueText(item, name.value) ?? '') : JSON.stringify({ [present]: content });
  }

  async function save(edit: Edit): Promise<void> {
    try {
      await send('/api/item', edit);
      say(`${edit.attribute} is ${edit.value === undefined ? 'removed' : 'set'}.`, '');
      await reload();
    } catch (error) {
      say(error instanceof Error ? error.message : 'failed', 'bad');
    }
  }

  function say(text: string, className: 'bad' | ''): void {
    outcome.textContent = text;
    outcome.className = className;
  }

  const form = element(
    'form',
    {
      class: 'filters',
      submit: (event) => {
        event.preventDefault();
        const typed = typedValue(type.value, value.value);
        const expected = type.value === 'BOOL' ? 'true or false' : 'JSON such as {"SS": ["a", "b"]}';
        if (typed === undefined) say(`Expected ${expected}`, 'bad');
        else void save({ key, attribute: name.value, value: typed });
      },
    },
    element(
      'p',
      {},
      'An edit is an UpdateItem on the local table, as your application would send it. The worker then does the rest.',
    ),
    field('Attribute', name),
    options,
    field('Type', type),
    field('Value', value),
    element('button', {}, 'Set'),
    element(
      'button',
      {
        type: 'button',
        click: () => {
          if (name.reportValidity()) void save({ key, attribute: name.value });
        },
      },
      'Remove',
    ),
    outcome,
  );
  return {
    form,
    show(now) {
      item = now;
      const names = Object.keys(item)
        .filter((one) => one !== keyNames.pk && one !== keyNames.sk)
        .sort();
      options.replaceChildren(...names.map((one) => element('option', { value: one })));
    },
  };
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
