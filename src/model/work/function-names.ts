/** The functions of a stack, by their logical ids. */
export const functionNames = ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify'] as const;
export type FunctionName = (typeof functionNames)[number];

/** Those that read the table's stream. */
export const streamFunctions = ['Propagate', 'Archive'] as const satisfies readonly FunctionName[];
export type StreamFunction = (typeof streamFunctions)[number];

/** The name of a function's entry point, of its log and of its metrics: `fan-out` for FanOut. */
export const serviceOf = (name: FunctionName) => name.replace(/\B[A-Z]/g, '-$&').toLowerCase();
