import { failureSentence, off, ok, reasons, wrong, type Finding, type Probe } from '@evenkeel/platform/service';
import type { AccountsConfig } from '../accounts.config';
import { smtpTransport } from '../mails/send-mails';
import { PasswordFile } from '../security/breached-passwords';

/** Probes of accounts, beside those of every service. */
export function probes(config: AccountsConfig): Probe[] {
  return [
    { subject: 'smtp', settings: 'SMTP_URL', examine: () => examineMails(config) },
    { subject: 'passwords', settings: 'BREACH_LIST_FILE', examine: () => examineBreachList(config) },
  ];
}

const LOGIN_REFUSED = 'EAUTH';

/** As far as the login: nothing is sent. */
async function examineMails(config: AccountsConfig): Promise<Finding[]> {
  const { SMTP_URL: url, sendsMails, showsMails, MAIL_FROM: from } = config;
  if (showsMails) return [off('smtp', 'SMTP_URL is not set: mails are shown at /dev/mails, and nobody gets them.')];
  if (!sendsMails) return [off('smtp', 'SMTP_URL is none: no mail is sent.')];
  const { hostname, port, protocol } = new URL(url!);
  const name = `The mail server at ${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`;
  const target = { name, settings: 'SMTP_URL' };
  const transport = smtpTransport(url!);
  try {
    await transport.verify();
  } catch (error) {
    const [{ code } = { code: '' }] = reasons(error);
    if (code === LOGIN_REFUSED) {
      return [wrong('smtp', `${target.name} refuses user and password: correct them in SMTP_URL.`)];
    }
    return [wrong('smtp', sentenceOf(error, target))];
  } finally {
    transport.close();
  }
  if (/@localhost>?$/.test(from)) {
    return [wrong('smtp', `MAIL_FROM is ${from}, which mail servers refuse: set it to an address of your domain.`)];
  }
  return [ok('smtp', `${target.name} answers; mails come from ${from}.`)];
}

/** Nodemailer has codes of its own, and the one of the connection only in its text. */
function sentenceOf(error: unknown, target: { name: string; settings: string }): string {
  const [{ message, code } = new Error('no reason') as NodeJS.ErrnoException] = reasons(error);
  const [known] = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH)\b/.exec(message) ?? [];
  const inTime = /timeout|timed out/i.test(message) || code === 'ETIMEDOUT' ? 'ETIMEDOUT' : undefined;
  const closed = /wrong version number|packet length too long/i.test(message) ? 'EPROTO' : undefined;
  const found = known ?? inTime ?? closed;
  return failureSentence(found === undefined ? error : Object.assign(new Error(message), { code: found }), target);
}

async function examineBreachList({ BREACH_LIST_FILE: path, BREACH_THRESHOLD }: AccountsConfig): Promise<Finding[]> {
  if (path === undefined)
    return [off('passwords', 'BREACH_LIST_FILE is not set: the bundled list of common ones is used.')];
  try {
    const list = await PasswordFile.open(path, BREACH_THRESHOLD);
    await list.onApplicationShutdown();
    return [ok('passwords', 'BREACH_LIST_FILE can be searched.')];
  } catch {
    const must = 'must be a file that this process can read, with lines of SHA1:count, sorted';
    return [wrong('passwords', `BREACH_LIST_FILE ${must}: correct its path.`)];
  }
}
