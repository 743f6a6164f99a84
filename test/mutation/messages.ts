import * as z from 'zod';

/** What a worker is asked: to play everything without a mutant, or some cases with one. */
export const request = z.discriminatedUnion('do', [
  z.object({ do: z.literal('survey') }),
  z.object({
    do: z.literal('try'),
    mutant: z.string(),
    cases: z.array(
      z.object({
        name: z.string(),
        /** How long it may take, in milliseconds. */
        patience: z.number(),
        /** How often it may come by the mutant; undefined for as often as it likes. */
        maxHits: z.number().optional(),
      }),
    ),
  }),
]);

export type Request = z.output<typeof request>;

/** What a worker answers to `survey`. */
export const survey = z.object({
  /** The tests, and the seeds of the simulator, that pass without a mutant. */
  cases: z.array(
    z.object({
      name: z.string(),
      milliseconds: z.number(),
      /** How often it came by each mutant. */
      hits: z.record(z.string(), z.number()),
    }),
  ),
  /** Mutants that are reached while files load: these need a process of their own. */
  onLoad: z.array(z.string()),
  /** Files of tests that are not for these processes, with why. */
  leftOut: z.array(z.string()),
  /** What fails without a mutant, with why. */
  failing: z.array(z.string()),
});

export type Survey = z.output<typeof survey>;

export type Case = Survey['cases'][number];

/** What a worker answers to `try`: how the mutant ended, and in which case. */
export const trial = z.object({
  /**
   * `endless`: it came by the mutant too often; `hung`: it did not end in time; `spoiled`: it fails without the mutant too,
   * so the process is no longer fit to tell.
   */
  fate: z.enum(['killed', 'endless', 'hung', 'survived', 'spoiled']),
  /** The case that showed it, and how. */
  by: z.string().optional(),
  why: z.string().optional(),
});

export type Trial = z.output<typeof trial>;
