import { crashPointSuite } from './crash-points.suite.ts';

crashPointSuite(1);
crashPointSuite(25);
