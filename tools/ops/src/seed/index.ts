export { seedPeople, type PeopleOptions, type SeededPerson } from './people/seed-people';
export { seed } from './seed';
