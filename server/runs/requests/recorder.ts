import { createHash } from "node:crypto";
import { newId } from "#contract/ids.ts";
import type { Usage } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { costMicros } from "#server/models/cost.ts";
import type { RequestEnd, RequestObserver, SentRequest } from "#server/models/request-observer.ts";
import type { RequestItem } from "#server/models/request-items.ts";
import { usageColumns } from "../usage-columns.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { putRequests, type NewRequest, type RequestContents, type RequestOwner } from "./rows.ts";

/** A stored request and what it was made from. */
type StoredItems = { id: string; items: readonly RequestItem[] };

export type RequestPurpose = Row<"model_requests">["purpose"];

/** Records the requests that are sent to models for one purpose. */
export type RequestRecorder = {
  /** The observer for the model's requests of a step, from 1. */
  observer(step?: number): RequestObserver;
};

/** `store` gets each request when it was sent, and again when it ended. */
export function createRequestRecorder(options: {
  clock: Clock;
  owner: RequestOwner;
  purpose: RequestPurpose;
  store: (request: NewRequest) => void;
  /** An earlier request of the thread. */
  previous?: StoredItems | undefined;
  /** Gets each request that has ended. */
  onStored?: (stored: StoredItems) => void;
  /** Whether `store` gets the body too. */
  hasBodies?: boolean;
}): RequestRecorder {
  const { clock, owner, purpose, store, onStored, hasBodies = false } = options;
  const attempts = new Map<number, number>();
  let { previous } = options;

  return {
    observer:
      (step = 1) =>
      (sent) => {
        const attempt = (attempts.get(step) ?? 0) + 1;
        attempts.set(step, attempt);
        const sentAt = clock.now();
        const id = newId("modelRequest", sentAt);
        const items = sent.items();
        const contents = contentsAfter(previous, items);
        const stored = { id, items };
        previous = stored;
        let request: NewRequest = {
          id,
          owner,
          purpose,
          step,
          attempt,
          sent_at: sentAt,
          first_token_at: null,
          ended_at: null,
          outcome: null,
          error_code: null,
          ...sentColumns(sent),
          ...noTokens,
          contents,
          ...(hasBodies && { body: sent.body }),
        };
        store(request);
        return {
          onFirstToken() {
            request = { ...request, first_token_at: clock.now() };
          },
          onEnd(end) {
            const { usage, isEstimated } = countTokens(end, { items, bodyBytes: request.body_bytes });
            store({
              ...request,
              ended_at: clock.now(),
              outcome: end.outcome,
              error_code: end.outcome === "failed" ? end.code : null,
              ...usageColumns(usage),
              cache_write_tokens: end.cacheWriteTokens ?? null,
              cost_micros: costMicros(usage, end.prices),
              is_estimated: isEstimated ? 1 : 0,
            });
            onStored?.(stored);
          },
        };
      },
  };
}

/** An item takes about 250 bytes: 25 MB. */
const itemsMax = 100_000;

/**
 * The last request of each thread that this process answered lately. The next answer of the thread begins with the same
 * messages, so that its receipt stores only what is new. After a restart, or for a thread that was forgotten, it stores
 * everything once.
 */
export function createLastItems() {
  const byThread = new Map<string, StoredItems>();
  let count = 0;

  function forget(threadId: string): void {
    count -= byThread.get(threadId)?.items.length ?? 0;
    byThread.delete(threadId);
  }

  return {
    get: (threadId: string): StoredItems | undefined => byThread.get(threadId),
    set(threadId: string, stored: StoredItems): void {
      forget(threadId);
      byThread.set(threadId, stored);
      count += stored.items.length;
      for (const oldest of byThread.keys()) {
        if (count <= itemsMax) return;
        forget(oldest);
      }
    },
  };
}

export type LastItems = ReturnType<typeof createLastItems>;

/** Records the requests of a task that is not the answer of a run, such as a title. */
export function createTaskRecorder(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  owner: RequestOwner;
  purpose: RequestPurpose;
}): RequestRecorder & { save(): Promise<void> } {
  const { db, logger, purpose } = options;
  const requests: NewRequest[] = [];
  return {
    ...createRequestRecorder({ ...options, store: (request) => requests.push(request) }),
    /** Stores the requests. A failure is only logged: the result of the task is worth more. */
    async save() {
      if (requests.length === 0) return;
      await db
        .write(async (tx) => await putRequests(tx, requests))
        .catch((error: unknown) => logger.warn({ err: error, purpose }, "could not store requests"));
    },
  };
}

/** The requests of a thread begin alike, so that only the rest of each is stored. */
function contentsAfter(previous: StoredItems | undefined, items: RequestItem[]): RequestContents {
  const differs = items.findIndex((item, at) => !areEqual(item, previous?.items[at]));
  const begins = differs === -1 ? items.length : differs;
  return {
    begins_as: begins === 0 ? null : previous!.id,
    begins_items: begins,
    items: JSON.stringify(items.slice(begins)),
  };
}

function areEqual(a: RequestItem, b: RequestItem | undefined): boolean {
  return b !== undefined && a.sha256 === b.sha256 && JSON.stringify(a) === JSON.stringify(b);
}

const noTokens = { ...usageColumns({}), cache_write_tokens: null, cost_micros: null, is_estimated: 0 };

function sentColumns({ model, host, isLocal, body }: SentRequest) {
  return {
    model,
    host,
    is_local: isLocal ? 1 : 0,
    body_bytes: Buffer.byteLength(body),
    body_sha256: createHash("sha256").update(body).digest("hex"),
  };
}

/** What the provider reported, or else an estimate. A request that was refused took nothing. */
function countTokens(
  { outcome, usage = {}, output }: RequestEnd,
  sent: Parameters<typeof estimateUsage>[0],
): { usage: Usage; isEstimated: boolean } {
  const isReported = usage.input !== undefined || usage.output !== undefined;
  if (isReported || (output === undefined && outcome !== "completed")) return { usage, isEstimated: false };
  return { usage: estimateUsage(sent, output ?? ""), isEstimated: true };
}
