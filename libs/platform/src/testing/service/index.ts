export { ask, type Reply } from './ask';
export { serveModule, type ServedModule } from './serve-module';
