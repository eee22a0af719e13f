export { seedPeople, type PeopleOptions, type SeededPerson } from './seed-people';
export { seed } from './seed';
