import type { Invocation } from './world/invocation.ts';
import type { ReaderName, Step } from './world/step.ts';
import type { World } from './world/world.ts';

/** What the worker does if nothing else happens, as steps in any order: it finishes, then reads records, then messages, then waits. Empty if nothing is left. */
export function pendingSteps(
  world: World,
  name: string,
  readers: readonly ReaderName[],
  more: number,
  isStalling: (invocation: Invocation) => boolean = () => false,
): Step[] {
  const { deliveries, clock, queue, stream } = world;
  const running = deliveries.flatMap(({ invocation }): Step[] => {
    const [request] = invocation.pending;
    if (isStalling(invocation)) return [];
    if (request !== undefined)
      return [{ do: 'serve', invocation: invocation.name, request: request.text, fault: undefined, more }];
    world.findings.violated(7, 'an invocation waits for nothing', invocation.name);
    return [{ do: 'crash', invocation: invocation.name, served: undefined }];
  });
  if (running.length > 0) return running;
  const reads = readers.flatMap((reader) =>
    stream.shards[reader].flatMap((shard, index): Step[] => {
      if (!shard.hasMore() || shard.current !== undefined) return [];
      const own = `${name} ${reader} ${index}`;
      return [{ do: 'read', reader, shard: index, again: 'next', back: 0, name: own, most: 10 }];
    }),
  );
  if (reads.length > 0) return reads;
  const due = queue.nextDue();
  // As late as can be: the fewer look at what they do afterwards.
  const lastMoment = world.late.nextEnd();
  if (lastMoment !== undefined && (due ?? Number.POSITIVE_INFINITY) > lastMoment)
    return world.late.texts().map((request) => ({ do: 'take-effect', request }));
  if (due === undefined) return [];
  return due <= clock.now
    ? [{ do: 'receive', skip: 0, name: `${name} fan-out`, most: 10 }]
    : [{ do: 'wait', milliseconds: due - clock.now }];
}
