import type { PlanStep } from '../../dev/dry-run/dry-run.ts';
import { keyJson } from '../options/item-key.ts';
import { styled } from './terminal.ts';

/** One line for one step of a dry run: attribute names, never their values. */
export function planLine(step: PlanStep): string {
  switch (step.does) {
    case 'read':
      return `${styled('dim', 'read')}    ${keyJson(step.key)}`;
    case 'query':
      return `${styled('dim', 'query')}   ${step.where}`;
    case 'update': {
      const { key, set, remove, expect } = step.update;
      const changes = [list('set', Object.keys(set)), list('remove', remove)].filter((text) => text !== '');
      return `${styled('yellow', 'write')}   ${keyJson(key)}  ${changes.join('; ')}${condition(Object.keys(expect))}`;
    }
    case 'remove': {
      const { key, clear, expect } = step.removal;
      const root =
        step.root.expect === 'absent'
          ? 'does not exist'
          : `still places it there (${Object.keys(step.root.expect).join(', ')})`;
      const what = clear === undefined ? 'delete the item' : list('remove', clear);
      return `${styled('red', 'remove')}  ${keyJson(key)}  ${what}${condition(Object.keys(expect))} and its root ${root}`;
    }
    case 'archive':
      return `${styled('yellow', 'archive')} ${step.objectKey}${step.replaces ? ', replacing the present version' : ', as a new object'}`;
    case 'erase':
      return `${styled('red', 'erase')}   ${step.objectKey}, with its versions and last states`;
    case 'send':
      return `${styled('dim', 'queue')}   ${step.message.rule}  ${keyJson(step.message.root)}${step.delaySeconds > 0 ? ` in ${step.delaySeconds} s` : ''}`;
  }
}

function list(verb: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${verb} ${names.join(', ')}`;
}

function condition(names: readonly string[]): string {
  return names.length === 0
    ? ', if it exists'
    : `, if it exists and ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} as read`;
}
