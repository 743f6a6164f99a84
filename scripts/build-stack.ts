import { emptySettings, sam } from './sam.ts';

/** `sam build` into `.aws-sam/build`. Never in the source: that prunes `node_modules`. */
export async function buildStack(): Promise<void> {
  await sam(['build', '--config-file', emptySettings, '--build-dir', '.aws-sam/build']);
}
