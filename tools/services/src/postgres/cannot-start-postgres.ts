import { CannotStartService } from '../cannot-start-service';

/** The embedded server cannot run here; the message names the folder and what to do. */
export class CannotStartPostgres extends CannotStartService {
  override readonly name = 'CannotStartPostgres';
}
