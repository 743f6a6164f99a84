/** A state that stands in the archive: the record that it was put for, and the beginning of its item's digest. */
export interface Stamp {
  readonly sequence: bigint;
  readonly digest: string;
}

/** Digits of a digest that tell states of one item apart for certain: 128 bits. */
const digits = 32;

/** One state more on top of others. What another put is none of ours, and is left out. */
export function stampedOn(
  top: { readonly sequence: bigint; readonly digest: string | undefined },
  previousStates: readonly Stamp[] = [],
): readonly Stamp[] {
  const { sequence, digest } = top;
  return digest === undefined
    ? previousStates
    : [{ sequence, digest: digest.slice(0, digits) }, ...previousStates];
}

/** Whether the stamp is one of a state with this digest. */
export function isStampOf(stamp: Stamp, digest: string): boolean {
  return digest.startsWith(stamp.digest);
}

/** Stamps as a text of at most so many characters: the newest, as many as it holds. Plain ASCII, without spaces. */
export function stampsText(stamps: readonly Stamp[], longest: number): string {
  let text = '';
  for (const { sequence, digest } of stamps) {
    const longer = `${text}${text === '' ? '' : ','}${sequence}:${digest}`;
    if (longer.length > longest) break;
    text = longer;
  }
  return text;
}

/** Reads {@link stampsText}, as far as it can be read. */
export function readStamps(text: string): readonly Stamp[] {
  return text.split(',').flatMap((part) => {
    const [, sequence, digest] = /^(\d{1,40}):([0-9a-f]{32})$/.exec(part) ?? [];
    return sequence === undefined || digest === undefined ? [] : [{ sequence: BigInt(sequence), digest }];
  });
}
