import { registerHooks } from 'node:module';

/**
 * Lets the config of a new project load before its packages are installed: what it imports of this package, and zod, are this
 * package's own.
 */
export function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOwn = /^(stream-denormalizer|zod)(\/|$)/.test(specifier);
      return next(specifier, isOwn ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}
