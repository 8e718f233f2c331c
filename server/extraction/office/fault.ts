import type { UnreadReason } from "#contract/unread-files.ts";

/** Why a document cannot be read. */
export class FaultError extends Error {
  override readonly name = "FaultError";
  readonly reason: UnreadReason;
  constructor(reason: UnreadReason, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/**
 * It took too long, or what read it ended over it: for what it is, or for all that the machine had to do then. Nothing
 * is said of the bytes by that.
 */
export class ExhaustedError extends FaultError {
  constructor(options?: ErrorOptions) {
    super("away", options);
  }
}
