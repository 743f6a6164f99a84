/** What a project's handlers import: for each function, config in, Lambda handler out. */
export { archiveHandler } from './archive.ts';
export { fanOutHandler } from './fan-out.ts';
export { heartbeatHandler } from './heartbeat.ts';
export { propagateHandler } from './propagate.ts';
export { sweepHandler } from './sweep.ts';
export { verifyHandler } from './verify.ts';
