export { seedPeople, type SeededPerson } from './people/seed-people';
export type { PeopleOptions } from './people/people-options';
export { seed, type SeedProgress } from './seed';
export type { SeedOptions } from './seed-options';
