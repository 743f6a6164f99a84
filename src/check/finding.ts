/** Something in a project that cannot be meant. It holds names, patterns and generated examples, never item content. */
export interface Finding {
  readonly about: 'types' | 'rules' | 'kinds' | 'template' | 'handlers' | 'table';
  /** The rule, kind, file or table that it concerns. */
  readonly subject: string;
  readonly message: string;
}

/** Each message once. */
export function findings(about: Finding['about'], subject: string, messages: readonly string[]): Finding[] {
  return [...new Set(messages)].map((message) => ({ about, subject, message }));
}
