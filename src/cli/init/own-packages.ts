import { registerHooks } from 'node:module';

/** Lets a new config load before its packages are installed: this package and zod are this package's own. */
export function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOwn = /^(stream-denormalizer|zod)(\/|$)/.test(specifier);
      return next(specifier, isOwn ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}
