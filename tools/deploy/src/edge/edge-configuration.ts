import { APP_NAMES, LONG_PATHS, ownerOf, ROUTES, type AppName } from '@evenkeel/contracts';
import { AGENT_APP, AGENT_READ_ERRORS, NOT_FOUND, PAID_ERRORS, SHARED_ERRORS } from './edge-answers';

/** Where one service answers. */
export interface EdgeServer {
  /** Address or name. */
  host: string;
  /** Of requests. */
  port: number;
  /** Of `/health/ready`. */
  internalPort: number;
  /** How many addresses the name may have at most, for a name that a resolver knows. Default: `host` is one server. */
  replicas?: number;
}

interface EdgeOptions {
  /** Address and port of the edge, and what else `bind` takes: `*:8080`. */
  listen: string;
  /** Another proxy ends TLS and adds the address of its client to `X-Forwarded-For`. Default: clients connect to the edge. */
  isBehindProxy?: boolean;
  /** Port that says to probes that the edge runs. Default: there is none. */
  probePort?: number;
  /** At least one for each service. */
  servers: Readonly<Record<AppName, readonly EdgeServer[]>>;
  /** Line of HAProxy that says which name server is asked for hosts with `replicas`, again and again. */
  resolver?: string;
  /** Path of a socket that takes HAProxy's commands, such as taking a server out. Default: there is none. */
  controlSocket?: string;
}

/** Connections of clients at once. */
const CLIENTS = 4_000;

const READ = 'method GET HEAD OPTIONS';
const AGENT_READ = `{ ${READ} } { var(txn.owner) -m str ${AGENT_APP} }`;

/** Only failures: the services log every request that reaches them. Neither query nor address of the caller. */
const FAILURE_LINE = [
  '{"level":"warn","name":"edge","time":"%[date,utime(%Y-%m-%dT%H:%M:%SZ)]","msg":"request failed","status":%ST',
  '"method":"%[var(txn.method),json(utf8ps)]","path":"%[var(txn.path),json(utf8ps)]","backend":"%b","server":"%s"',
  '"state":"%tsc","retries":"%rc","durationMs":%Ta,"requestId":"%[var(txn.id)]"}',
].join(',');

/**
 * The configuration of HAProxy 2.6 or newer as the edge: which service gets which path, and what may be sent again. Server
 * `<app>-1` of the backends `<app>_reads` and `<app>_writes` is the first of `servers[app]`.
 * @returns the text of `haproxy.cfg`
 */
export function edgeConfiguration(options: EdgeOptions): string {
  const { listen, isBehindProxy = false, probePort, resolver, controlSocket } = options;
  return withoutBlanks(`# Made from the routes of libs/contracts by tools/deploy. Change them there, then: npm run edge:write

global
  # An old process ends with what it still carries.
  hard-stop-after 45s
  log stdout format raw local0 notice
  # Each may have one of its own within HAProxy.
  maxconn ${2 * CLIENTS}
  # Headers take up to 16 KB in either direction, with room to add some.
  tune.bufsize 32768
  ${controlSocket === undefined ? '' : `stats socket ${controlSocket} level admin`}

defaults base
  mode http
  log global
  log-format '${FAILURE_LINE}'
  option dontlog-normal
  option log-separate-errors
  # Head of a request; then any pause of the client, between requests too. The services limit a whole request to 15 s.
  timeout http-request 10s
  timeout client 15s
  timeout connect 1s
  timeout queue 2s
  timeout server 30s
  # Another server gets what the first one did not take.
  retries 3
  option redispatch 1
  # Readiness of the internal port: a process that drains says so there, and gets no more.
  option httpchk GET /health/ready
  http-check expect status 200
  default-server check inter 1s fastinter 200ms downinter 500ms fall 3 rise 1
  timeout check 2s

# An answer that never began is asked for again: a read changes nothing. Each request has a connection of its own to its server:
# none is sent into one that the server is about to close.
defaults reads from base
  retry-on conn-failure empty-response
  option http-server-close
  ${SHARED_ERRORS}

# A connection that failed has carried nothing: only then another one is tried.
defaults writes from base
  retry-on conn-failure
  option http-server-close
  ${SHARED_ERRORS}

# To HAProxy itself. When a server breaks off, it answers only the first request of a connection: the client may send another
# again by itself, and gets no word. On the inner connection each is the first one. Servers are tried there, one after the other;
# their errors are answered here, and in time.
defaults outer from base
  option http-server-close
  http-reuse never
  # A body that fits into a buffer comes whole, so that a slow one holds no connection of a service.
  http-request wait-for-body time 10s if !{ ${READ} }
  # Nobody waits for more than five seconds, however many servers were asked. Who sends much may pause.
  timeout server 4950ms
  http-request set-timeout server 35s if ${anyOf([...LONG_PATHS.map((path) => `path ${path}`), 'req.body_size gt 30000'])}
  # The inner one has logged them already.
  http-response set-log-level silent
  ${SHARED_ERRORS}
${
  resolver === undefined
    ? ''
    : `
resolvers names
  ${resolver}
  accepted_payload_size 8192
  hold valid 1s
  hold obsolete 5s
  timeout resolve 1s`
}
${
  probePort === undefined
    ? ''
    : `
frontend probes from base
  bind *:${probePort}
  monitor-uri /health/live`
}

frontend edge from base
  bind ${listen}
  maxconn ${CLIENTS}
  # Bytes that are no HTTP, or too slow, end the connection: HAProxy could only answer with its own pages.
  errorfile 400 /dev/null
  errorfile 408 /dev/null
  ${REMEMBERED}
  http-request set-var(txn.id) req.hdr(x-request-id) if { req.hdr(x-request-id) -m reg ^[A-Za-z0-9._-]{8,128}$ }
  http-request set-var(txn.id) uuid if !{ var(txn.id) -m found }
  http-request set-header X-Request-Id %[var(txn.id)]
  http-after-response set-header X-Request-Id %[var(txn.id)] if !{ res.hdr(x-request-id) -m found }
  ${isBehindProxy ? CLIENT_OF_PROXY : OWN_CLIENT}
  http-request return ${NOT_FOUND} if ${anyOf(['path_beg /health/', ...below('/metrics'), ...below('/dev')])}
  # The longest prefix decides: it is the last that matches.
  http-request set-var(txn.owner) str(${ownerOf('/')})
  ${owners()}
  use_backend ${AGENT_APP}_reads_unready if ${AGENT_READ} { nbsrv(${AGENT_APP}_reads) eq 0 }
  use_backend ${AGENT_APP}_reads if ${AGENT_READ}
  use_backend outer_%[var(txn.owner)]_reads if { ${READ} }
  use_backend outer_%[var(txn.owner)]_writes

${HANDED_ON.map((one) => outerBackend(one, listen)).join('\n\n')}

${innerFrontend(listen)}

${BACKENDS.map((one) => backends(one, options)).join('\n\n')}
`);
}

/** Lines with nothing in them stand for options that were not chosen. */
function withoutBlanks(text: string): string {
  return text.replace(/^ +\n/gm, '').replace(/\n{3,}/g, '\n\n');
}

/** For the line of a failure. */
const REMEMBERED = `http-request set-var(txn.method) method
  http-request set-var(txn.path) path,bytes(0,200)`;

const OWN_CLIENT = `# One hop: what a client says of its own address is dropped.
  http-request set-header X-Forwarded-For %[src]`;

/** Policies let nobody but that proxy connect, so the last address is of its own connection, and those before are anybody's. */
const CLIENT_OF_PROXY = `# The proxy in front adds the address of its client at the end; what the client itself says is dropped.
  http-request set-var(txn.client) src
  http-request set-var(txn.client) req.hdr_ip(x-forwarded-for,-1) if { req.hdr_ip(x-forwarded-for,-1) -m found }
  http-request set-header X-Forwarded-For %[var(txn.client)]`;

/** The two backends of each service. */
interface Backend {
  app: AppName;
  kind: 'reads' | 'writes';
}
const BACKENDS = APP_NAMES.flatMap((app): Backend[] => [
  { app, kind: 'reads' },
  { app, kind: 'writes' },
]);

/** Documents are read thousands of times a second, mostly from memory: they go straight to their servers. */
const isDocuments = ({ app, kind }: Backend): boolean => app === AGENT_APP && kind === 'reads';
const HANDED_ON = BACKENDS.filter((one) => !isDocuments(one));

function nameOf({ app, kind }: Backend): string {
  return `${app}_${kind}`;
}

/** Without a file, and of this edge alone. */
function innerSocket({ app, kind }: Backend, listen: string): string {
  return `abns@edge${listen.replace(/\W+/g, '-')}-${app}-${kind}`;
}

function outerBackend(one: Backend, listen: string): string {
  return `backend outer_${nameOf(one)} from outer
  ${errorsOf(one)}
  server inner ${innerSocket(one, listen)} no-check`;
}

function innerFrontend(listen: string): string {
  const names = HANDED_ON.map(nameOf);
  return `frontend inner from base
  ${HANDED_ON.map((one) => `bind ${innerSocket(one, listen)} name ${nameOf(one)}`).join('\n  ')}
  ${REMEMBERED}
  http-request set-var(txn.id) req.hdr(x-request-id)
  ${names.map((name) => `use_backend ${name}_unready if { so_name ${name} } { nbsrv(${name}) eq 0 }`).join('\n  ')}
  use_backend %[so_name]`;
}

/** The service of paying requests has words of its own. */
function errorsOf(one: Backend): string {
  if (one.app !== AGENT_APP) return '';
  return isDocuments(one) ? AGENT_READ_ERRORS : PAID_ERRORS;
}

/** The owner of each prefix, the longest last. What is hidden needs none. */
function owners(): string {
  return ROUTES.flatMap(({ app, prefixes }) => prefixes.map((prefix) => ({ app, prefix })))
    .filter(({ prefix }) => prefix !== '/' && !prefix.startsWith('/dev/'))
    .sort((a, b) => a.prefix.length - b.prefix.length || (a.prefix < b.prefix ? -1 : 1))
    .map(({ app, prefix }) => `http-request set-var(txn.owner) str(${app}) if ${anyOf(below(prefix))}`)
    .join('\n  ');
}

/** Paths that are equal to a prefix or below it. */
function below(prefix: string): string[] {
  return [`path ${prefix}`, `path_beg ${prefix}/`];
}

function anyOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `{ ${condition} }`).join(' || ');
}

/**
 * The servers that are ready; and all of them, for when none is, as while their database is away: they answer what needs none. In a
 * backend of their own, because HAProxy gives an address that it has resolved to one server of a backend alone.
 */
function backends(one: Backend, { servers, resolver }: EdgeOptions): string {
  const section = (suffix: string) => `backend ${nameOf(one)}${suffix} from ${one.kind}
  ${isDocuments(one) ? 'option http-keep-alive\n  http-reuse always' : ''}
  ${errorsOf(one)}
  ${servers[one.app].map((place, index) => server(one.app, index + 1, place, suffix === '', resolver)).join('\n  ')}`;
  return `${section('')}\n\n${section('_unready')}`;
}

function server(app: AppName, number: number, place: EdgeServer, isChecked: boolean, resolver?: string): string {
  const { host, port, internalPort, replicas } = place;
  const check = isChecked ? `port ${internalPort}` : 'no-check';
  if (replicas === undefined) return `server ${app}-${number} ${host}:${port} ${check}`;
  const resolved = resolver === undefined ? '' : ' resolvers names';
  // Only within quotes HAProxy reads a variable of its environment.
  return `server-template ${app}- ${replicas} "${host}:${port}" ${check}${resolved} init-addr none`;
}
