/** Start-up refusal. The message names each bad variable and what is expected of it, never a value. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';

  /** @param problems one sentence per variable, beginning with its name */
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  }
}
