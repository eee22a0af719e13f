export { seedPeople, type SeededPerson } from './people/seed-people';
export type { PeopleOptions } from './people/made-people';
export { seed, type SeedProgress } from './seed';
export type { SeedOptions } from './seed-options';
