/** The subject of a mail; `change` and `change_notice` go to the new and to the old address of an account. */
export type MailKind = 'verify' | 'change' | 'change_notice' | 'reset' | 'password_changed';

interface Paragraphs {
  subject: string;
  /** Above the link. */
  before: readonly string[];
  /** Of the link. */
  action?: string;
  /** Below it. */
  after: readonly string[];
}

const NOT_YOU = 'If this was not you, do nothing: without the link nothing changes.';

const TEXTS: Readonly<Record<MailKind, Paragraphs>> = {
  verify: {
    subject: 'Confirm your email address',
    before: ['Welcome to Evenkeel. Please confirm that this is your address:'],
    action: 'Confirm this address',
    after: ['The link works once, for 48 hours. If you have no account here, do nothing.'],
  },
  change: {
    subject: 'Confirm your new email address',
    before: ['Somebody asked to use this address for an account at Evenkeel. If it was you, confirm it:'],
    action: 'Use this address',
    after: ['The link works once, for 48 hours.', NOT_YOU],
  },
  change_notice: {
    subject: 'Your email address is about to change',
    before: [
      'Somebody who knows your password asked to use another address for your account at Evenkeel.',
      'The account keeps this address until the new one is confirmed.',
    ],
    after: ['If this was not you, ask for a new password now: that ends every session and the change of address.'],
  },
  reset: {
    subject: 'Choose a new password',
    before: ['Somebody asked for a new password for your account at Evenkeel. If it was you, choose one:'],
    action: 'Choose a new password',
    after: ['The link works once, for 60 minutes. A new password ends every session of the account.', NOT_YOU],
  },
  password_changed: {
    subject: 'Your password was changed',
    before: ['The password of your account at Evenkeel was changed.'],
    after: ['If this was not you, ask for a new password now.'],
  },
};

/**
 * The text of a mail, plain and as HTML.
 * @param link of those kinds that have one
 */
export function mailText(kind: MailKind, link?: string) {
  const { subject, before, action, after } = TEXTS[kind];
  const lines = [...before, ...(link === undefined ? [] : [link]), ...after];
  const button = link === undefined ? [] : [`<a href="${escaped(link)}">${escaped(action ?? link)}</a>`];
  const paragraphs = [...before.map(escaped), ...button, ...after.map(escaped)];
  return { subject, text: `${lines.join('\n\n')}\n`, html: htmlOf(subject, paragraphs) };
}

function htmlOf(title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 1em auto; padding: 0 1em">
${body}
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** As text of HTML, also within the quotes of an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
