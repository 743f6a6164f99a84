/**
 * What the page and its server exchange, in these files: types alone, as JSON. `Attributes` are item content; they are sent
 * to the page that asks for them, and nowhere else.
 */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item in DynamoDB JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** What the page can ask for. A page of a deployed stack is read-only, and has `metrics` instead of all others. */
export type Ability = 'changes' | 'edit' | 'redrive' | 'verify' | 'metrics';

/** `GET /api/project`: what does not change while the page is open. */
export interface ProjectView {
  readonly table: string;
  /** `at http://127.0.0.1:8000`, `of stack prod in eu-west-1`. */
  readonly where: string;
  /** The names of the table's key attributes. */
  readonly keyNames: Key;
  readonly abilities: readonly Ability[];
  readonly kinds: readonly { readonly name: string; readonly keys: string }[];
  readonly rules: readonly RuleView[];
}

/** An arrow of the graph: from a kind to a kind, to itself, or to the archive. */
export interface RuleView {
  /** By which the news counts what it has done: an archive rule has an arrow for each of its kinds. */
  readonly id: string;
  readonly name: string;
  readonly from: string;
  /** Undefined for an archive rule. */
  readonly to: string | undefined;
  /** The rule in words: a label and what it says. */
  readonly words: readonly (readonly [string, string])[];
}

/** The body of every answer that is no success. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}
