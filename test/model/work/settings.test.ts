import { describe, expect, test } from 'vitest';
import { environmentName } from '../../../src/model/rules/parameters.ts';
import {
  readOrDefault,
  readSetting,
  type Setting,
  type SettingName,
  settingNames,
  settings,
  stackSources,
} from '../../../src/model/work/settings.ts';

const rows = settingNames.map((name): [SettingName, Setting] => [name, settings[name]]);

function read(name: SettingName, text: string | undefined) {
  return readSetting(name, { [environmentName(name)]: text });
}

/** Texts that a setting takes, with their values, and texts that it refuses. */
function examplesOf(setting: Setting): {
  readonly takes: readonly (readonly [text: string, value: unknown])[];
  readonly refuses: readonly string[];
} {
  switch (setting.type) {
    case 'whole number': {
      const [least, most] = setting.range;
      return {
        takes: [
          [`${least}`, least],
          [`${most}`, most],
        ],
        refuses: [`${least - 1}`, `${most + 1}`, `${least}.5`, 'many', '', ' ', '1e2'],
      };
    }
    case 'number': {
      const [least, most] = setting.range;
      return {
        takes: [
          [`${least}`, least],
          [`${least * 5}`, least * 5],
          [`${most}`, most],
        ],
        refuses: [`${least / 2}`, `${most + 1}`, '1%', '', '.5'],
      };
    }
    case 'choice':
      return { takes: setting.choices.map((choice) => [choice, choice]), refuses: ['ICE', ''] };
    case 'switch':
      return {
        takes: [
          ['true', true],
          ['false', false],
        ],
        refuses: ['yes', ''],
      };
    case 'names':
      return {
        takes: [
          [' a, b,,', ['a', 'b']],
          ['none', []],
          ['', []],
        ],
        refuses: [],
      };
    case 'text':
      return { takes: [['app', 'app']], refuses: ['ab', ''] };
    case 'URL':
      return { takes: [['https://host/1/queue', 'https://host/1/queue']], refuses: ['queue', ''] };
  }
}

describe.each(rows)('the setting %s', (name, setting) => {
  const { takes, refuses } = examplesOf(setting);

  test.each(takes)('is read from %j', (text, value) => {
    expect(read(name, text)).toEqual({ value });
  });

  test.each(refuses)('is not read from %j', (text) => {
    expect(read(name, text)).toEqual({ wrong: expect.stringMatching(/^expected .*, got /) });
  });

  test('is its default where the environment does not name it, or missing', () => {
    expect(read(name, undefined)).toEqual(
      'default' in setting ? { value: setting.default } : { wrong: 'missing' },
    );
  });

  test('has its default among its values', () => {
    if ('default' in setting && setting.default !== undefined)
      expect(read(name, String(setting.default))).toEqual({ value: setting.default });
  });

  test('has the same name as parameter of the stack and as variable', () => {
    const source = stackSources[name];
    if ('parameter' in source) expect(environmentName(source.parameter)).toBe(environmentName(name));
  });
});

test('a wrong value is reported with what was expected and what came', () => {
  expect(read('recheckDelaySeconds', '901')).toEqual({
    wrong: "expected a whole number from 0 to 900, got '901'",
  });
});

test('a wrong URL or name is not quoted: it may have a password', () => {
  expect(JSON.stringify([read('fanOutQueueUrl', 'secret'), read('tableName', 'se')])).not.toContain("'se");
});

test.each([
  ['0', 500],
  ['7', 7],
  ['1001', 500],
  [undefined, 500],
])('who cannot fail on a page limit of %j takes %i', (PAGE_LIMIT, value) => {
  expect(readOrDefault('pageLimit', { PAGE_LIMIT })).toBe(value);
});
