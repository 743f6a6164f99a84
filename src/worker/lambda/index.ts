/** What a project's handlers import: for each function, config in, Lambda handler out. */
export { archiveHandler, sweepHandler } from './archive.ts';
export { fanOutHandler, propagateHandler } from './propagate.ts';
export { verifyHandler } from './verify.ts';
