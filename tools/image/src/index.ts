export { CHECK } from './command';
