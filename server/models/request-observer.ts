import type { ErrorCode } from "#contract/errors.ts";
import type { ModelPrices } from "#contract/endpoints/models.ts";
import type { Usage } from "#contract/run-events.ts";
import type { RequestItem } from "./request-items.ts";

/**
 * Called when an HTTP request to a model has been handed to the connection. A retry, and a request without what the model
 * refused, are requests of their own. A host that cannot be reached gets none.
 */
export type RequestObserver = (sent: SentRequest) => SentRequestObserver;

export type SentRequest = {
  /** `provider/model`. */
  model: string;
  /** Host and port, as in the URL. */
  host: string;
  /** Whether the connection is to an address in the operator's own network, and the host there does not pass it on. */
  isLocal: boolean;
  /** The body as it was sent, in UTF-8. */
  body: string;
  /** What it contains and what it leaves out. */
  items: () => RequestItem[];
};

export type SentRequestObserver = {
  /** The first part of the answer arrived. */
  onFirstToken(): void;
  /** Called once. */
  onEnd(end: RequestEnd): void;
};

export type RequestEnd = ({ outcome: "completed" | "cancelled" } | { outcome: "failed"; code: ErrorCode }) & {
  /** What the provider reported. */
  usage?: Usage;
  cacheWriteTokens?: number;
  /** What arrived of the answer, as far as it is text; absent if nothing did. */
  output?: string;
  prices?: ModelPrices | undefined;
};
