import type { TablePort } from '../../ports.ts';

/** Thrown by a read of a sweep that is to stop: what is under way ends as if it had been killed, and is done anew. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** A table that is not read any more once `stop` says so. What is about to be written still is. */
export function stoppableTable(port: TablePort, stop: () => boolean): TablePort {
  function unlessStopped<Result>(read: () => Promise<Result>): Promise<Result> {
    return stop() ? Promise.reject(new Stopped('Asked to stop')) : read();
  }
  return {
    get: (key) => unlessStopped(() => port.get(key)),
    getMany: (keys) => unlessStopped(() => port.getMany(keys)),
    queryPartition: (...asked) => unlessStopped(() => port.queryPartition(...asked)),
    queryIndex: (...asked) => unlessStopped(() => port.queryIndex(...asked)),
    update: (updates) => port.update(updates),
    remove: (root, removals) => port.remove(root, removals),
  };
}
