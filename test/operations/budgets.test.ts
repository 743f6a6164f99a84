import { budgetsSuite } from './budgets.suite.ts';

budgetsSuite(70);
