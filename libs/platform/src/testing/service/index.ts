export { ask, serveService, type Reply, type ServedOptions, type ServedService } from './serve-service';
