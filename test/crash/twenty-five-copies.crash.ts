import { crashPointSuite } from './crash-points.suite.ts';

crashPointSuite(25);
