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

/** A form that sets or removes one attribute of an item. */
export function attributeEditor(
  key: Key,
  item: Attributes,
  isKey: (name: string) => boolean,
  reload: () => Promise<void>,
): HTMLElement {
  const names = Object.keys(item)
    .filter((name) => !isKey(name))
    .sort();
  const outcome = element('p', { role: 'status' });
  const options = element(
    'datalist',
    { id: 'attributes' },
    ...names.map((name) => element('option', { value: name })),
  );
  const name = element('input', { id: 'attribute', list: 'attributes', required: true, input: () => fill() });
  const type = element(
    'select',
    { id: 'type' },
    ...types.map(([value, text]) => element('option', { value }, text)),
  );
  const value = element('input', { id: 'value' });

  function fill(): void {
    const [present, content] = typeOf(item[name.value]);
    if (!names.includes(name.value)) return;
    const isSimple = present === 'S' || present === 'N' || present === 'BOOL';
    type.value = isSimple ? present : 'json';
    value.value = isSimple ? (valueText(item, name.value) ?? '') : JSON.stringify({ [present]: content });
  }

  async function save(edit: Edit): Promise<void> {
    try {
      await send('/api/item', edit);
      await reload();
    } catch (error) {
      outcome.textContent = error instanceof Error ? error.message : 'failed';
      outcome.className = 'bad';
    }
  }

  return element(
    'form',
    {
      class: 'filters',
      submit: (event) => {
        event.preventDefault();
        const typed = typedValue(type.value, value.value);
        if (typed === undefined) outcome.textContent = 'Expected JSON such as {"SS": ["a", "b"]}';
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
}

function typedValue(type: string, text: string): unknown {
  if (type === 'BOOL') return { BOOL: text.trim() === 'true' };
  if (type !== 'json') return { [type]: text };
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
