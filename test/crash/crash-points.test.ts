import { crashPointSuite } from './crash-points.suite.ts';

/** `npm run crash` has more copies. */
crashPointSuite(1);
