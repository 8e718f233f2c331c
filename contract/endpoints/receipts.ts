import * as z from "zod/mini";
import { unreadReasons } from "../parts/unread-files.ts";
import { runParams, timestamp } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

const leftOutReasons = [...unreadReasons, "earlier-reasoning", "tools-refused"] as const;

const item = z
  .object({
    kind: z.enum(["instructions", "tool", "message", "reasoning", "file", "tool-call", "tool-result"]),
    role: z.nullable(z.enum(["system", "user", "assistant", "tool"])),
    message_id: z
      .nullable(z.string())
      .check(z.describe("The message of the thread that it is from; null for what the server adds.")),
    file_id: z.nullable(z.string()),
    file_name: z.nullable(z.string()),
    page: z.nullable(z.number()).check(z.describe("The page of the file that the picture shows.")),
    tool_name: z.nullable(z.string()),
    tool_call_id: z.nullable(z.string()),
    bytes: z
      .number()
      .check(z.describe("The size of its text or base64 in UTF-8, without the syntax of the request.")),
    sha256: z
      .nullable(z.string())
      .check(
        z.describe(
          "The hash of these bytes, in base64url. Null for instructions that the caller may not read.",
        ),
      ),
    tokens: z.nullable(z.number()).check(z.describe("An estimate; null for pictures and sounds.")),
    left_out: z
      .nullable(z.enum(leftOutReasons))
      .check(z.describe("Why the request does not have it, or has only a note about it or a part of it.")),
    source: z
      .enum(["same", "changed", "gone"])
      .check(z.describe("Whether its message or file was changed or deleted since.")),
  })
  .check(z.meta({ id: "ReceiptItem", description: "A piece of a request to a model." }));
export type ReceiptItem = z.infer<typeof item>;

const request = z
  .object({
    id: z.string(),
    purpose: z.enum(["answer", "title", "summary", "suggestions", "embedding"]),
    step: z.number().check(z.describe("The step of the answer, from 1. Each step after tool calls is one.")),
    attempt: z.number().check(z.describe("From 1. A retry is another request.")),
    model: z
      .nullable(z.string())
      .check(
        z.describe(
          "Null while a blind comparison hides it, like whatever would reveal it: the host, whether that is local, the size and the hash of the body, the counted tokens, and the cost.",
        ),
      ),
    host: z.nullable(z.string()).check(z.describe("Where it was sent: host and port.")),
    is_local: z
      .nullable(z.boolean())
      .check(
        z.describe("Whether that is an address in this server's own network, and nothing was passed on."),
      ),
    body_bytes: z.nullable(z.number()),
    body_sha256: z.nullable(z.string()).check(z.describe("Of the exact bytes of its body, in hexadecimal.")),
    sent_at: timestamp,
    first_token_at: z.nullable(timestamp),
    ended_at: z.nullable(timestamp).check(z.describe("Null while it runs, and if its server died.")),
    outcome: z.nullable(z.enum(["completed", "failed", "cancelled"])),
    error_code: z.nullable(z.string()),
    is_estimated: z
      .boolean()
      .check(
        z.describe(
          "Whether the tokens and the cost are an estimate: the model did not report them, because it was stopped, broke off, or never does.",
        ),
      ),
    input_tokens: z.nullable(z.number()),
    cached_tokens: z
      .nullable(z.number())
      .check(z.describe("Those input tokens that the provider had cached.")),
    cache_write_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    cost_usd: z.nullable(z.number()).check(z.describe("By list prices; null if unknown.")),
    items: z
      .array(item)
      .check(z.describe("What it contains and leaves out: instructions, tools, and the messages in order.")),
  })
  .check(z.meta({ id: "ReceiptRequest", description: "A request to a model." }));
export type ReceiptRequest = z.infer<typeof request>;

const receipt = z
  .object({ run_id: z.string(), requests: z.array(request) })
  .check(
    z.meta({ id: "Receipt", description: "Everything that was sent to models for an answer, oldest first." }),
  );
export type Receipt = z.infer<typeof receipt>;

export const receiptEndpoints = {
  "runs.receipt": {
    method: "GET",
    path: "/v1/runs/{run_id}/receipt",
    caller: "visitor",
    members: "read",
    summary: "Get what was sent to models for an answer",
    description:
      "Each request of the answer and of the thread's title, with the host, the size and the hash of its exact body, and references to what it was made from. Also the requests of earlier runs of the same answer. Contents are not stored a second time. Empty for answers of the built-in assistant and for runs that ended before this server recorded requests.",
    params: runParams,
    kind: "json",
    status: 200,
    response: z.object({ receipt }),
  },
} as const satisfies Endpoints;
