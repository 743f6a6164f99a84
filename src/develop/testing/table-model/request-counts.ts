export class RequestCounts {
  get = 0;
  getMany = 0;
  queryPartition = 0;
  queryIndex = 0;
  queryIndexEntries = 0;
  update = 0;
  remove = 0;
  create = 0;
  itemsRead = 0;
  /** Updates that took effect, those that changed nothing included: they cost as much. */
  itemsWritten = 0;
  itemsCreated = 0;
  itemsRemoved = 0;
  /** Writes that lost their condition, the root's included. They are charged too. */
  itemsLost = 0;

  requests(): number {
    const queries = this.queryPartition + this.queryIndex + this.queryIndexEntries;
    return this.get + this.getMany + queries + this.update + this.remove + this.create;
  }
}
