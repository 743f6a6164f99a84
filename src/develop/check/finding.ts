/** What a finding is about, in the order in which a check looks. */
export const checked = ['types', 'rules', 'kinds', 'template', 'handlers', 'table'] as const;

export type Checked = (typeof checked)[number];

/** Something in a project that cannot be meant. It holds names, patterns and generated examples, never item content. */
export interface Finding {
  readonly about: Checked;
  /** The rule, kind, file or table that it concerns. */
  readonly subject: string;
  readonly message: string;
}
