/** Types alone, as JSON. `Attributes` are item content, sent to the page that asks for them and nowhere else. */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item in DynamoDB JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** `GET /api/project`: what does not change while the page is open. */
export interface ProjectView {
  readonly table: string;
  /** `at http://127.0.0.1:8000`, `of stack prod in eu-west-1`. */
  readonly where: string;
  /** Of a local table: where an SDK finds it. */
  readonly endpoint?: string;
  readonly keyNames: Key;
  /** What the server answers, such as `POST /api/item`: the page offers nothing else. */
  readonly answers: readonly string[];
  readonly kinds: readonly { readonly name: string; readonly keys: string }[];
  readonly rules: readonly RuleView[];
}

export interface RuleView {
  readonly name: string;
  /** The kind of its roots; of an archive rule, several. */
  readonly from: readonly string[];
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
