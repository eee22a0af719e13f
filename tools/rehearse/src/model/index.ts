export { CONFIGURATIONS } from './configurations';
export { modelCommand } from './model-options';
