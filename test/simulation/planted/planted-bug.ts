// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
/** A small wrong change to a file: a text that stands in it exactly once, and what takes its place. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Something that somebody could get wrong, and that the simulator has to find. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
}

export function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ file, find, replace }] };
}
