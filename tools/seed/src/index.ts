export { seed, type SeedProgress } from './seed';
export type { SeedOptions } from './seed-options';
