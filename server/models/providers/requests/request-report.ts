import type { ErrorCode } from "#contract/errors.ts";
import type { ModelPrices } from "#contract/endpoints/models.ts";
import { classifyAddress } from "#server/fetch/addresses.ts";
import type { Model, ModelEvent } from "../../model.ts";
import type { RequestEnd, RequestObserver, SentRequestObserver } from "../../request-observer.ts";
import type { RequestItem } from "../../request-items.ts";
import type { FinishEvent } from "./finish-event.ts";
import type { Sent } from "./transport.ts";

/** Reports to a request's observer what is sent to the provider, and how it ends. */
export type RequestReport = {
  /** Loads the prices for `onFinish`. They are usually known already. */
  loadPrices(): Promise<void>;
  onSent(sent: Sent, items: () => RequestItem[]): void;
  onFirstToken(): void;
  /** Each event of the answer. Without the provider's counts, its tokens are estimated from them. */
  onOutput(event: ModelEvent): void;
  onFinish(event: Pick<FinishEvent, "usage" | "cacheWriteTokens">): void;
  /** `onFailure` and `onCancel` do nothing after the last request that was sent has ended. */
  onFailure(code: ErrorCode): void;
  onCancel(): void;
};

export function createRequestReport(
  { info, facts, isRelayed }: Pick<Model, "info" | "facts"> & { isRelayed: boolean },
  observer: RequestObserver | undefined,
): RequestReport {
  let current: SentRequestObserver | undefined;
  let prices: ModelPrices | undefined;
  let output: string | undefined;
  const streamedCalls = new Set<string>();

  function end(how: RequestEnd): void {
    current?.onEnd({ ...how, prices, ...(output === undefined ? {} : { output }) });
    current = undefined;
    output = undefined;
  }

  function textOf(event: ModelEvent): string {
    switch (event.type) {
      case "text":
      case "reasoning":
        return event.text;
      case "tool-call-delta":
        streamedCalls.add(event.toolCallId);
        return event.argsText;
      case "tool-call":
        return streamedCalls.has(event.toolCallId) ? "" : event.argsText;
      default:
        return "";
    }
  }

  return {
    async loadPrices() {
      if (observer !== undefined) prices = (await facts?.().catch(() => undefined))?.prices;
    },
    onSent({ host, address, body }, items) {
      const isLocal = !isRelayed && classifyAddress(address) === "own";
      current = observer?.({ model: info.id, host, isLocal, body, items });
    },
    onFirstToken() {
      output ??= "";
      current?.onFirstToken();
    },
    onOutput(event) {
      if (output !== undefined) output += textOf(event);
    },
    onFinish: ({ usage, cacheWriteTokens }) =>
      end({
        outcome: "completed",
        usage,
        ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
      }),
    onFailure: (code) => end({ outcome: "failed", code }),
    onCancel: () => end({ outcome: "cancelled" }),
  };
}
