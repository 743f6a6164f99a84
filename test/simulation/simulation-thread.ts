import { answerJobs } from '../../src/develop/testing/simulation/threads.ts';
import { allSmallWorlds, scenario } from './scenario.ts';

answerJobs(scenario, allSmallWorlds);
