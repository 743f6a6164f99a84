/** The same predicate on names, asked once for each name: the copies of a page have the same few. */
export function remembered(predicate: (name: string) => boolean): (name: string) => boolean {
  const answers = new Map<string, boolean>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const answer = predicate(name);
    answers.set(name, answer);
    return answer;
  };
}
