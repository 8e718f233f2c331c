import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The requests that this server sent to models, one row each. The bodies are not stored. */
export const modelRequests = table("model_requests", {
  columns: {
    id: text().primaryKey(),
    /** Null for requests outside of runs. */
    run_id: text().nullable().references("runs", "cascade"),
    app_id: text().references("apps"),
    workspace_id: text().references("workspaces", "cascade"),
    user_id: text(),
    /** The cost still counts after the thread is deleted. */
    thread_id: text().nullable().references("threads", "set null"),
    /** The reply that it was sent for, which may be deleted. */
    message_id: text().nullable(),
    assistant_id: text().nullable(),
    purpose: text<"answer" | "title" | "summary" | "suggestions" | "embedding">(),
    /** The step of the answer, from 1. */
    step: integer(),
    /** Counts the requests of a step, from 1: retries, and those without what the model refused. */
    attempt: integer(),
    /** `provider/model`. */
    model: text(),
    /** Host and port. */
    host: text(),
    /**
     * 1 if the connection was to an address in the operator's own network and no other host gets the request from
     * there.
     */
    is_local: integer(),
    body_bytes: bigint(),
    /** In hexadecimal. Null after an erasure. */
    body_sha256: text().nullable(),
    sent_at: bigint(),
    first_token_at: bigint().nullable(),
    /** Null while it runs, and for good if its process died. */
    ended_at: bigint().nullable(),
    outcome: text<"completed" | "failed" | "cancelled">().nullable(),
    error_code: text().nullable(),
    /** All input, including the next two. */
    input_tokens: bigint().nullable(),
    output_tokens: bigint().nullable(),
    reasoning_tokens: bigint().nullable(),
    /** Input that the provider read from its cache. */
    cached_tokens: bigint().nullable(),
    /** Input that the provider wrote to its cache. */
    cache_write_tokens: bigint().nullable(),
    /** Millionths of a US dollar, by the list prices when it was sent; null if they or the tokens are unknown. */
    cost_micros: bigint().nullable(),
    /** 1 if the provider did not report the tokens of an answer of which some arrived. */
    is_estimated: integer().default(0),
  },
  indexes: {
    model_requests_of_run: "run_id",
    model_requests_of_thread: "thread_id",
    model_requests_of_workspace: "workspace_id, sent_at",
    model_requests_of_person: "user_id, sent_at",
    model_requests_of_app: {
      on: {
        sqlite:
          "app_id, sent_at, model, assistant_id, purpose, outcome, first_token_at, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_micros, run_id",
        postgres: "app_id, sent_at",
      },
    },
  },
  backup: "in backup",
});

/** What the requests were made from: references, sizes and hashes. */
export const requestContents = table("request_contents", {
  columns: {
    request_id: text().primaryKey().references("model_requests", "cascade"),
    /** Hashes of deleted content are deleted too. */
    thread_id: text().references("threads", "cascade"),
    /** The request whose first `begins_items` items are also the first of this one. */
    begins_as: text().nullable(),
    begins_items: integer(),
    /** JSON list of the others. */
    items: text(),
  },
  indexes: {
    request_contents_of_thread: "thread_id",
  },
  backup: "in backup",
});
