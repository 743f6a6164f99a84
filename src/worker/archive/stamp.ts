/** Identifies an archived state: the sequence number of its record and the beginning of its digest. */
export interface Stamp {
  readonly sequence: bigint;
  readonly digest: string;
}

/** Hexadecimal digits that identify a state of one item reliably: 128 bits. */
const digits = 32;

/** The state of an object, and those that it replaced, newest first. A state that another program put has no digest and is left out. */
export function stampsOf(head: {
  readonly sequence: bigint;
  readonly digest: string | undefined;
  readonly previousStates?: readonly Stamp[] | undefined;
}): readonly Stamp[] {
  const { sequence, digest, previousStates = [] } = head;
  return digest === undefined
    ? previousStates
    : [{ sequence, digest: digest.slice(0, digits) }, ...previousStates];
}

/** Whether the stamp belongs to a state with this digest. */
export function isStampOf(stamp: Stamp, digest: string): boolean {
  return digest.startsWith(stamp.digest);
}

/** Stamps as ASCII text without spaces, newest first, as many as fit into `longest` characters. */
export function stampsText(stamps: readonly Stamp[], longest: number): string {
  let text = '';
  for (const { sequence, digest } of stamps) {
    const longer = `${text}${text === '' ? '' : ','}${sequence}:${digest}`;
    if (longer.length > longest) break;
    text = longer;
  }
  return text;
}

/** Reads the text of {@link stampsText}; invalid parts are skipped. */
export function readStamps(text: string): readonly Stamp[] {
  return text.split(',').flatMap((part) => {
    const [, sequence = '', digest = ''] = /^(\d+):([0-9a-f]{32})$/.exec(part) ?? [];
    return digest === '' ? [] : [{ sequence: BigInt(sequence), digest }];
  });
}
