export { LOAD, runLoad } from './run-load';
export { runSoak, SOAK } from './soak/run-soak';
export { SETTLED_MINUTES } from './soak/verdicts';
