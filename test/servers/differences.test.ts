import { differencesSuite } from './differences.suite.ts';
import { otherServers } from './servers.ts';

differencesSuite('MiniStack', otherServers.MiniStack);
differencesSuite('moto', otherServers.moto);
