import * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';

export type StackParameter = {
  readonly Type: 'String' | 'Number';
  readonly Default?: string | number;
  readonly AllowedValues?: readonly (string | number)[];
  readonly MinLength?: number;
  readonly MaxLength?: number;
  readonly MinValue?: number;
  readonly MaxValue?: number;
  readonly AllowedPattern?: string;
  readonly ConstraintDescription?: string;
  readonly Description?: string;
};

const value = z.union([z.string(), z.number()]);
const jsonSchema = z.object({
  type: z.unknown().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  enum: z.array(value).min(1).optional(),
  const: value.optional(),
  anyOf: z.array(z.object({ const: value })).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
});
type JsonSchema = z.output<typeof jsonSchema>;

/**
 * What the stack accepts for a parameter of the application, as exactly as CloudFormation can say it. What only the schema
 * can tell is refused when a function starts.
 * @throws DenormError `config.parameter` for a schema whose values are not text, numbers, booleans or a choice of them
 */
export function stackParameter(name: string, schema: z.core.$ZodType): StackParameter {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: json }) => {
      // JSON Schema has no flags, and without them a pattern would refuse what the schema accepts.
      if (hasFlags(zodSchema)) delete json.pattern;
    },
  });
  const parsed = jsonSchema.safeParse(converted);
  if (!parsed.success) throw unsupported(name);
  const json = parsed.data;
  if (json.default === undefined && z.safeParse(schema, undefined).success)
    throw new DenormError(
      'config.parameter',
      `Expected the parameter ${name} to have a default that a deployment can show, because every parameter of a stack has a value: replace optional() by default(…), and default(…) after a transformation by prefault(…)`,
    );
  const kind = kindOf(name, json);
  const Default = json.default === undefined ? undefined : defaultOf(name, kind.Type, json.default);
  return {
    ...kind,
    ...(Default !== undefined && { Default }),
    ...(json.description !== undefined && { Description: json.description }),
  };
}

function hasFlags({ _zod: { def } }: z.core.$ZodTypes): boolean {
  const checks = 'checks' in def ? def.checks : undefined;
  return (checks ?? []).some((check) => {
    const pattern: unknown = 'pattern' in check._zod.def ? check._zod.def.pattern : undefined;
    return pattern instanceof RegExp && /[ims]/.test(pattern.flags);
  });
}

function kindOf(name: string, json: JsonSchema): StackParameter {
  const { type, pattern, minLength, maxLength } = json;
  const choices =
    json.enum ?? json.anyOf?.map((one) => one.const) ?? (json.const === undefined ? [] : [json.const]);
  if (choices.length > 0)
    return {
      Type: choices.every((choice) => typeof choice === 'number') ? 'Number' : 'String',
      AllowedValues: choices,
    };
  if (type === 'boolean') return { Type: 'String', AllowedValues: ['true', 'false'] };
  if (type === 'string')
    return {
      Type: 'String',
      ...(minLength !== undefined && { MinLength: minLength }),
      ...(maxLength !== undefined && { MaxLength: maxLength }),
      ...(pattern !== undefined && { AllowedPattern: wholeText(pattern) }),
    };
  if (type === 'integer' || type === 'number') return { Type: 'Number', ...bounds(json, type === 'integer') };
  throw unsupported(name);
}

/** CloudFormation matches a pattern with the whole value; a schema finds it anywhere, unless each alternative has both anchors. */
function wholeText(pattern: string): string {
  const isAnchored = outermost(pattern)
    .split('|')
    .every((alternative) => /^\^.*\$$/.test(alternative));
  return isAnchored ? pattern : `[\\s\\S]*(?:${pattern})[\\s\\S]*`;
}

/** A pattern without its escapes, character classes and groups, whose anchors and alternatives are not those of the whole. */
function outermost(pattern: string): string {
  let text = pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, '_');
  while (/\([^()]*\)/.test(text)) text = text.replace(/\([^()]*\)/g, '_');
  return text;
}

/** Bounds of whole numbers are whole. For others a bound that is excluded stays: the schema refuses that one value. */
function bounds(json: JsonSchema, isWhole: boolean): Pick<StackParameter, 'MinValue' | 'MaxValue'> {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = json;
  const least = isWhole ? Math.ceil(minimum ?? Math.floor(above ?? -Infinity) + 1) : (minimum ?? above);
  const most = isWhole ? Math.floor(maximum ?? Math.ceil(below ?? Infinity) - 1) : (maximum ?? below);
  return {
    // The bounds of every whole number in JavaScript say nothing about this one.
    ...(least !== undefined && least > Number.MIN_SAFE_INTEGER && { MinValue: least }),
    ...(most !== undefined && most < Number.MAX_SAFE_INTEGER && { MaxValue: most }),
  };
}

function defaultOf(name: string, type: StackParameter['Type'], given: unknown): string | number {
  if (type === 'Number' && typeof given === 'number') return given;
  if (type === 'String' && ['string', 'number', 'boolean'].includes(typeof given)) return String(given);
  throw unsupported(name);
}

/**
 * A value as CloudFormation would take it for a parameter.
 * @param given undefined for the default
 * @throws DenormError `config.parameter` for a value that the parameter does not allow, or none where it has no default
 */
export function allowedValue(name: string, parameter: StackParameter, given: unknown): string | number {
  const value = given ?? parameter.Default;
  const { Type, AllowedValues, AllowedPattern, ConstraintDescription } = parameter;
  const { MinValue = -Infinity, MaxValue = Infinity, MinLength = 0, MaxLength = Infinity } = parameter;
  const text = String(value);
  const number = Number(text);
  const isAllowed =
    (Type === 'Number'
      ? text.trim() !== '' && number >= MinValue && number <= MaxValue
      : text.length >= MinLength && text.length <= MaxLength) &&
    (AllowedValues?.map(String).includes(text) ?? true) &&
    (AllowedPattern === undefined || new RegExp(`^(?:${AllowedPattern})$`).test(text));
  if (value !== undefined && isAllowed) return Type === 'Number' ? number : text;
  const within =
    Type === 'Number'
      ? `a number from ${MinValue} to ${MaxValue}`
      : `a text of ${MinLength} to ${MaxLength} characters${AllowedPattern === undefined ? '' : ` like ${AllowedPattern}`}`;
  const wanted = ConstraintDescription ?? AllowedValues?.join(', ') ?? within;
  throw new DenormError(
    'config.parameter',
    `Expected the parameter ${name} to be ${wanted}, got ${value === undefined ? 'none, and it has no default' : `'${text}'`}: correct it`,
  );
}

function unsupported(name: string): DenormError {
  return new DenormError(
    'config.parameter',
    `Expected the schema of the parameter ${name} to be of a text, a number, a boolean or a choice of them, got another: a parameter of a stack is one of these`,
  );
}
