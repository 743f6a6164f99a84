import { type Outcome, replay } from '../run.ts';
import type { Scenario } from '../scenario.ts';
import type { Step } from '../world/step.ts';
import type { Functions } from '../world/worker-under-test.ts';

/** A failing run that is being shrunk: the shortest form found so far, and what it may still cost to look for a shorter one. */
export class Attempt {
  best: Outcome;
  private left: number;
  private readonly broken: string | undefined;
  private readonly scenario: Scenario;
  private readonly functions: Functions | undefined;

  /** @param budget steps and requests that may be played in all: a count, so that the same run shrinks to the same steps */
  constructor(scenario: Scenario, outcome: Outcome, budget: number, functions: Functions | undefined) {
    this.scenario = scenario;
    this.best = outcome;
    this.left = budget;
    this.broken = outcome.violations[0]?.what;
    this.functions = functions;
  }

  get steps(): readonly Step[] {
    return this.best.steps;
  }

  get isOver(): boolean {
    return this.left <= 0;
  }

  /** Plays these steps instead. Where they break the same promise in the same way, they are the best so far. */
  async with(steps: readonly Step[]): Promise<boolean> {
    if (this.isOver) return false;
    const tried = await replay(this.scenario, this.best.seed, steps, this.functions);
    this.left -= tried.steps.length + tried.requests + 20;
    if (tried.violations[0]?.what !== this.broken) return false;
    this.best = tried;
    return true;
  }
}
