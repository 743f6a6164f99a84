import { crashPointSuite } from './crash-points.suite.ts';

/** `npm run suite crash` has more copies. */
crashPointSuite(1);
