import type { ChangeEntry } from './change-entry.ts';

/** Changes that are kept. */
const maxChanges = 500;

/** Content that is kept, in bytes. */
const maxContent = 32_000_000;

/** The last changes, found by their ids and by what reports tell. The oldest is forgotten first, its content before. */
export class KeptChanges {
  private readonly byId = new Map<number, ChangeEntry>();
  private readonly byAddress = new Map<string, ChangeEntry[]>();

  add(entry: ChangeEntry): void {
    this.byId.set(entry.id, entry);
    for (const at of entry.addresses) this.byAddress.set(at, [...this.at(at), entry]);
    const [oldest] = this.byId.size > maxChanges ? this.byId.values() : [];
    if (oldest !== undefined) this.remove(oldest);
    this.forgetContent();
  }

  get(id: number): ChangeEntry | undefined {
    return this.byId.get(id);
  }

  /** Oldest first. */
  all(): readonly ChangeEntry[] {
    return [...this.byId.values()];
  }

  /** The changes that wait for a report of this address, oldest first. */
  at(address: string): readonly ChangeEntry[] {
    return this.byAddress.get(address) ?? [];
  }

  /** Reports of this address are about the last of its changes from now on. */
  settle(address: string): void {
    const last = this.at(address).at(-1);
    if (last !== undefined) this.byAddress.set(address, [last]);
  }

  private forgetContent(): void {
    let bytes = 0;
    for (const entry of this.byId.values()) bytes += entry.contentBytes;
    for (const entry of this.byId.values()) {
      if (bytes <= maxContent) return;
      bytes -= entry.contentBytes;
      entry.forgetContent();
    }
  }

  private remove(entry: ChangeEntry): void {
    this.byId.delete(entry.id);
    for (const at of entry.addresses) {
      const others = this.at(at).filter((one) => one !== entry);
      if (others.length === 0) this.byAddress.delete(at);
      else this.byAddress.set(at, others);
    }
  }
}
