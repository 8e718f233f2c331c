import type { ErrorCode } from "#contract/errors.ts";
import type { ModelPrices } from "#contract/endpoints/models.ts";
import { classifyAddress } from "#server/fetch/addresses.ts";
import type { Model } from "../../model.ts";
import type { RequestEnd, RequestObserver, SentRequestObserver } from "../../request-observer.ts";
import type { RequestItem } from "../../request-items.ts";
import type { FinishEvent } from "./finish.ts";
import type { Sent } from "./transport.ts";

/** Reports to a request's observer what is sent to the provider, and how it ends. */
export type RequestReport = {
  /** Loads the prices for `onFinish`. They are usually known already. */
  loadPrices(): Promise<void>;
  onSent(sent: Sent, items: () => RequestItem[]): void;
  onFirstToken(): void;
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

  function end(how: RequestEnd): void {
    current?.onEnd(how);
    current = undefined;
  }

  return {
    async loadPrices() {
      if (observer !== undefined) prices = (await facts?.().catch(() => undefined))?.prices;
    },
    onSent({ host, address, body }, items) {
      const isLocal = !isRelayed && classifyAddress(address) === "own";
      current = observer?.({ model: info.id, host, isLocal, body, items });
    },
    onFirstToken: () => current?.onFirstToken(),
    onFinish: ({ usage, cacheWriteTokens }) =>
      end({
        outcome: "completed",
        usage,
        prices,
        ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
      }),
    onFailure: (code) => end({ outcome: "failed", code }),
    onCancel: () => end({ outcome: "cancelled" }),
  };
}
