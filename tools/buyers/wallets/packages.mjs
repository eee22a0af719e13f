import { pathToFileURL } from 'node:url';

/** The folder in which `fetchedPackages` has put the packages, an argument of the program. */
export const folder = process.argv[3];

/** Imports from there: our own packages are of other versions. */
export const { load } = await import(pathToFileURL(`${folder}/load.mjs`).href);
