export * from './config';
export * from './http';
export * from './observability';
export * from './persistence';
export * from './validation';
