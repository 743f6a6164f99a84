type Child = Node | string | undefined;

type Properties = Readonly<Record<string, string | boolean | ((event: Event) => void) | undefined>>;

/**
 * Makes an element. Text goes into text nodes and properties into attributes, never into markup, so that no key and no
 * attribute of an item can become an element or a script.
 * @param properties attributes; a function listens to the event of its name
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  assign(made, properties);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Makes an element of a drawing. */
export function drawn(name: string, properties: Properties = {}, ...children: readonly Child[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  assign(made, properties);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

function assign(made: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, '');
    else if (typeof value === 'string') made.setAttribute(name, value);
  }
}

/** Puts children in place of the present ones, unless they are the same. What has the focus keeps it, if it is there again. */
export function redraw(place: Element, ...children: readonly (Node | string)[]): void {
  const next = element('div', {}, ...children);
  if (next.innerHTML === place.innerHTML) return;
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  place.replaceChildren(...next.childNodes);
  if (focused === null) return;
  const isSame = (one: Element) =>
    ['id', 'href', 'aria-label'].every((name) => one.getAttribute(name) === focused.getAttribute(name));
  const again = [...place.querySelectorAll(focused.tagName)].find(isSame);
  if (again instanceof HTMLElement) again.focus();
}

/** A control with its label before it; both stay together where a line is too short. */
export function field(label: string, control: HTMLElement): HTMLElement {
  return element('span', { class: 'field' }, element('label', { for: control.id }, label), control);
}

/** A table with a caption; cells are texts or elements. It scrolls by itself where it is wider than the page. */
export function tableOf(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
): HTMLElement {
  // On a narrow page each row is a block, with the column's name before each cell. The roles stay those of a table.
  const cells = (row: readonly (Node | string)[]) =>
    row.map((cell, at) =>
      at === 0
        ? element('th', { scope: 'row', role: 'rowheader' }, cell)
        : element('td', { role: 'cell', 'data-column': head[at] }, cell),
    );
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    element(
      'table',
      { role: 'table' },
      element('caption', {}, caption),
      element(
        'thead',
        { role: 'rowgroup' },
        element(
          'tr',
          { role: 'row' },
          ...head.map((text) => element('th', { scope: 'col', role: 'columnheader' }, text)),
        ),
      ),
      element(
        'tbody',
        { role: 'rowgroup' },
        ...rows.map((row) => element('tr', { role: 'row' }, ...cells(row))),
      ),
    ),
  );
}
