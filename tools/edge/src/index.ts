export { edgeConfiguration, type EdgeOptions, type EdgeServer } from './edge-configuration';
