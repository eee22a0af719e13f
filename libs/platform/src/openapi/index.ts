export { mergeParts } from './merge-parts';
export { contractSchemas, partOf, refusalExample, type Contracts, type PartOptions, type Route } from './part-of';
