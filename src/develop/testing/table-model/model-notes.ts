import type { ArchiveNotes } from '../../../worker/archive/ports.ts';

export class ModelNotes implements ArchiveNotes {
  readonly texts = new Map<string, string>();
  /** Called before each request takes effect; it may throw what the port would. */
  before: (request: 'read' | 'write', noteKey: string) => void = () => {};

  async read(noteKey: string): Promise<string | undefined> {
    this.before('read', noteKey);
    return this.texts.get(noteKey);
  }

  async write(noteKey: string, text: string): Promise<void> {
    this.before('write', noteKey);
    this.texts.set(noteKey, text);
  }
}
