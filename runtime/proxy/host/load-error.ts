/** Why a generation was refused; nothing has changed. `code` is the diagnostic's, the message its reason. */
export class LoadError extends Error {
  readonly code: string;

  constructor(code: string, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "LoadError";
    this.code = code;
  }
}
