export { Program, stopPrograms, type Exit } from '@evenkeel/services/programs';
