import { pathToFileURL } from 'node:url';

/** Where `fetchedPackages` has put the packages, as the program was told. */
export const folder = process.argv[3];

/** Imports from there: our own packages are of other versions. */
export const { load } = await import(pathToFileURL(`${folder}/load.mjs`).href);
