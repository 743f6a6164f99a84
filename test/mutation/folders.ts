/** What is mutated: all that the worker and the operator's commands do, without the adapters, the emulators and the CLI. */
export const mutatedFolders: readonly string[] = [
  'plan',
  'worker/propagation',
  'worker/archive',
  'worker/verify',
  'worker/batch',
  'worker/scan',
  'operate/archive',
  'operate/dead-letters',
  'operate/drift',
  'explain/dry-run',
];
