import type { PageState } from './state.ts';

/** A part of the page that is shown alone. */
export interface View {
  readonly element: HTMLElement;
  /** Called when there is news, and once at the beginning. */
  news?(): void;
  /** Called before another view takes its place. */
  close?(): void;
}

export type OpenView = (state: PageState, parameters: URLSearchParams) => View;

/** The address of a view within the page. */
export function link(view: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${query === '' ? '' : `?${query}`}`;
}
