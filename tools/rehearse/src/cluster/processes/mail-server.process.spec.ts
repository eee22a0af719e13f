import { createTransport } from 'nodemailer';
import { MailServer } from './mail-server';

it('takes every mail, and knows to whom it was', async () => {
  const mails = await MailServer.start();
  const transport = createTransport(mails.url);
  await transport.sendMail({ from: 'us@example.com', to: ['a@example.com', 'b@example.com'], text: 'Welcome.' });
  await transport.sendMail({ from: 'us@example.com', to: 'a@example.com', text: 'Again.' });
  expect(mails.recipients).toEqual(['a@example.com', 'b@example.com', 'a@example.com']);
  transport.close();
  await mails.stop();
});
