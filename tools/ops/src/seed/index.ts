export { seedPeople, type SeededPerson } from './people/seed-people';
export type { PeopleOptions } from './people/made-people';
export { seed } from './seed';
