/** Something in a project that cannot be meant. It holds names, patterns and generated examples, never item content. */
export interface Finding {
  readonly about: 'types' | 'rules' | 'kinds' | 'template' | 'handlers' | 'table';
  /** The rule, kind, file or table that it concerns. */
  readonly subject: string;
  readonly message: string;
}

/** Each message once, if there is any. */
export function findings(
  about: Finding['about'],
  subject: string,
  messages: readonly (string | undefined)[],
): Finding[] {
  const distinct = new Set(messages.filter((message) => message !== undefined));
  return [...distinct].map((message) => ({ about, subject, message }));
}
