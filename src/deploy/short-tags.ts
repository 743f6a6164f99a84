/** The functions of CloudFormation whose long form is `Fn::…`; their short form is a tag, such as `!GetAtt`. */
export const functionNames = [
  ...[
    'Base64',
    'Cidr',
    'FindInMap',
    'GetAtt',
    'GetAZs',
    'If',
    'ImportValue',
    'Join',
    'Select',
    'Split',
    'Sub',
  ],
  ...['And', 'Equals', 'Not', 'Or', 'Transform', 'Length', 'ToJsonString'],
] as const;

/** Every short tag of a template. */
export const shortTags: readonly string[] = ['Ref', 'Condition', ...functionNames].map((name) => `!${name}`);
