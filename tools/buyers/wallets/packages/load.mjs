/** Copied beside the installed packages: what it imports is found there. */
export const load = (specifier) => import(specifier);
