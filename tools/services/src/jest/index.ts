export { END_WITH_PARENT, programArguments } from './of-the-run';
export { Program, stopPrograms, type Exit } from './program';
