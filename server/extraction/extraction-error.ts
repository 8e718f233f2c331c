import type { UnreadReason } from "#contract/parts/unread-files.ts";

/** Why nothing can be extracted from a file. */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  readonly reason: UnreadReason;
  constructor(reason: UnreadReason, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/**
 * Extraction took too long, used too much memory or crashed. The cause may be the file or a busy machine, so a retry
 * may succeed.
 */
export class ExtractionLimitError extends ExtractionError {
  constructor(options?: ErrorOptions) {
    super("away", options);
  }
}
