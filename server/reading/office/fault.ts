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
