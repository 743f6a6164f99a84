import { type Document, Pair } from 'yaml';
import { type Config, environmentName } from '../model/config.ts';
import { DenormError } from '../model/errors.ts';
import { type StackParameter, stackParameter } from './stack-parameter.ts';
import { mapAt, mapNode, namesIn, seqAt, seqNode, tagged, textNode } from './yaml-nodes.ts';

/** Variables that Lambda sets, or that its runtime reads. Source: Lambda Developer Guide, "Using Lambda environment variables". */
const reserved = /^(AWS_.*|LAMBDA_.*|NODE_.*|POWERTOOLS_.*|TZ|PATH|LANG|LD_LIBRARY_PATH)$/;

/** Adds the parameters of the application, each in the environment of every function, and the default of DisabledRules. */
export function setParameters(document: Document, { parameters, disabled }: Config): void {
  mapAt(document, ['Parameters', 'DisabledRules']).set('Default', textNode(disabled.join(',')));
  const names = Object.keys(parameters);
  if (names.length === 0) return;
  const all = mapAt(document, ['Parameters']);
  const variables = mapAt(document, ['Globals', 'Function', 'Environment', 'Variables']);
  for (const [name, schema] of Object.entries(parameters)) {
    all.add(new Pair(textNode(name), parameterNode(stackParameter(name, schema))));
    variables.add(new Pair(textNode(environmentName(name)), tagged('!Ref', name)));
  }
  seqAt(document, ['Metadata', 'AWS::CloudFormation::Interface', 'ParameterGroups']).items.unshift(
    mapNode({ Label: mapNode({ default: 'The application' }, true), Parameters: seqNode(names, true) }),
  );
}

function parameterNode({ AllowedValues, ...others }: StackParameter) {
  const { Type, Default, Description, ...limits } = others;
  return mapNode({
    ...{ Type, Default },
    AllowedValues: AllowedValues === undefined ? undefined : seqNode(AllowedValues, true),
    ...limits,
    Description,
  });
}

/**
 * Refuses parameters that would take the place of one of the stack's, or whose variable has another use. To be asked before
 * parts are removed, so that a new rule does not make a name invalid.
 * @throws DenormError `config.parameter`
 */
export function refuseTakenNames(document: Document, { parameters }: Config): void {
  const taken = namesIn(mapAt(document, ['Parameters']));
  const variables = variableNames(document);
  for (const name of Object.keys(parameters)) {
    const variable = environmentName(name);
    if (taken.includes(name))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter that the stack does not have itself, got '${name}': choose another`,
      );
    if (variables.has(variable) || reserved.test(variable))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter whose variable is free, but functions would get '${name}' as ${variable}, which has another use: choose another`,
      );
    variables.add(variable);
  }
}

function variableNames(document: Document): Set<string> {
  const functions = [
    ['Globals', 'Function'],
    ...namesIn(mapAt(document, ['Resources']))
      .filter((name) => mapAt(document, ['Resources', name]).get('Type') === 'AWS::Serverless::Function')
      .map((name) => ['Resources', name, 'Properties']),
  ];
  return new Set(
    functions.flatMap((path) => namesIn(mapAt(document, [...path, 'Environment', 'Variables']))),
  );
}
