import { createTransport } from 'nodemailer';

/** One mail as it goes out. */
export interface OutgoingMail {
  /** Without its angle brackets; the same for every try, so that a mail that arrives twice can be seen to be one. */
  messageId: string;
  recipient: string;
  writtenAt: Date;
  subject: string;
  text: string;
  html: string;
}

/** For each wait of a connection, so that a silent server is noticed before the whole time is over. */
const STEP_MS = 5_000;
/** For one mail, whatever it waits for: less than it is taken for. */
const WHOLE_MS = 9_000;

/** @param url `smtp://` or `smtps://`, with user, password and options of the connection (`?requireTLS=true`) */
export function smtpTransport(url: string) {
  return createTransport({
    url,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
}

/**
 * Sends a mail on a connection of its own. Resolves when the other side has taken it; it may have taken it, too, when this throws.
 * @param from as `MAIL_FROM` has it
 */
export async function sendOver(
  transport: ReturnType<typeof smtpTransport>,
  from: string,
  { messageId, recipient, writtenAt, ...mail }: OutgoingMail,
): Promise<void> {
  await transport.sendMail({
    ...mail,
    from,
    date: writtenAt,
    // As parts: nothing in an address is read as a list of addresses.
    to: { name: '', address: recipient },
    messageId: `<${messageId}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    signal: AbortSignal.timeout(WHOLE_MS),
  });
}
