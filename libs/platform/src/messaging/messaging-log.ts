/** What messaging says; the logger of Nest fits. */
export interface MessagingLog {
  /** It goes on by itself. */
  warn(line: object): void;
  /** A person must act. */
  error(line: object): void;
}
