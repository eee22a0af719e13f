import { spawnSync } from 'node:child_process';
import type { OperatorLog } from '../operator-log';
import { CannotStartPostgres } from './cannot-start-postgres';

/** Ids for `spawn`; empty where the server runs as the current user. */
export interface ServerUser {
  uid?: number;
  gid?: number;
}

const NAME = 'postgres';

/**
 * PostgreSQL refuses to run as root: there it runs as the system user postgres, made when it is missing.
 * @throws CannotStartPostgres when there is no such user and none can be made
 */
export function serverUser(log: OperatorLog): ServerUser {
  if (process.getuid?.() !== 0) return {};
  return lookUp() ?? create(log);
}

function lookUp(): ServerUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, NAME], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function create(log: OperatorLog): ServerUser {
  log(`PostgreSQL cannot run as root: adding the system user ${NAME} for it.`);
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME]);
  const user = lookUp();
  if (user) return user;
  throw new CannotStartPostgres(
    `PostgreSQL cannot run as root, and a user ${NAME} could not be added. ` +
      `Run "useradd --system ${NAME}" first, or start as another user.`,
  );
}
