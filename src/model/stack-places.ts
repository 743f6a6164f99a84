/** A line of a stack; names of functions are left out, because data may have named them. */
const frame = /^ +at (?:async )?(?:.*\()?(?:file:\/\/)?(\/[\w./@+-]+:\d+:\d+)\)?$/;

/** The innermost place first: file, line and column. Without the error's message, which may quote an item. */
export function stackPlaces({ message, name, stack = '' }: Error): readonly string[] {
  const header = message === '' ? name : message;
  const start = stack.indexOf(header);
  // A stack keeps the message of its time.
  if (start < 0) return [];
  return stack
    .slice(start + header.length)
    .split('\n')
    .flatMap((line) => frame.exec(line)?.[1] ?? []);
}
