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

/** Hands mails to whatever delivers them. */
export abstract class MailSender {
  /** Resolves when the other side has taken the mail; it may have taken it, too, when this throws. */
  abstract send(mail: OutgoingMail): Promise<void>;
}
