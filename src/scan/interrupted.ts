import { DenormError } from '../model/errors.ts';

/** Thrown by a visit that somebody asked to stop in the middle: what it was at is done again when the work goes on. */
export class Interrupted extends DenormError {
  override readonly name = 'Interrupted';

  constructor() {
    super('work.interrupted', 'Somebody asked to stop: go on with what is left');
  }
}
