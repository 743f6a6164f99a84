/** `a Comment`, `an Appointment`, `a User`, as far as the first letters tell. */
export function withArticle(name: string): string {
  return `${/^(?:[aeio]|u(?!s|ni))/i.test(name) ? 'an' : 'a'} ${name}`;
}
