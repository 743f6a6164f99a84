/**
 * `npm run audit`: fails if the registry knows an advisory of severity high or critical about a package that users install. A
 * registry that does not answer is said, and is no failure.
 */
import { accepted, advisoriesIn } from './advisories.ts';
import { runTool } from './sam.ts';

const { output } = await runTool('npm', ['audit', '--omit=dev', '--json', '--loglevel=silent']);
const advisories = advisoriesIn(output);
if (advisories === undefined) console.log('npm audit: not answered');
else {
  for (const { id, name, title } of advisories)
    console.log([id, name, title, accepted[id] ?? 'not accepted'].join('  '));
  const open = advisories.filter(({ id }) => accepted[id] === undefined);
  console.log(`npm audit: ${advisories.length} of severity high or critical, ${open.length} not accepted`);
  if (open.length > 0) process.exitCode = 1;
}
