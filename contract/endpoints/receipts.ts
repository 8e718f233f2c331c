import * as z from "zod/mini";
import { unreadReasons } from "../parts/unread-files.ts";
import { callAllowances } from "../tools/tool-rules.ts";
import { described, namedObject, timestamp } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

const leftOutReasons = [...unreadReasons, "earlier-reasoning", "tools-refused"] as const;

const item = namedObject("ReceiptItem", "A piece of a request to a model.", {
  kind: z.enum(["instructions", "tool", "message", "reasoning", "file", "tool-call", "tool-result"]),
  role: z.nullable(z.enum(["system", "user", "assistant", "tool"])),
  message_id: described(
    z.nullable(z.string()),
    "The message of the thread that it is from; null for what the server adds.",
  ),
  file_id: z.nullable(z.string()),
  file_name: z.nullable(z.string()),
  page: described(z.nullable(z.number()), "The page of the file that the picture shows."),
  tool_name: z.nullable(z.string()),
  tool_call_id: z.nullable(z.string()),
  bytes: described(z.number(), "The size of its text or base64 in UTF-8, without the syntax of the request."),
  sha256: described(
    z.nullable(z.string()),
    "The hash of these bytes, in base64url. Null for instructions that the caller may not read.",
  ),
  tokens: described(z.nullable(z.number()), "An estimate; null for pictures and sounds."),
  left_out: described(
    z.nullable(z.enum(leftOutReasons)),
    "Why the request does not have it, or has only a note about it or a part of it.",
  ),
  source: described(
    z.enum(["same", "changed", "gone"]),
    "Whether its message or file was changed or deleted since.",
  ),
});
export type ReceiptItem = z.infer<typeof item>;

const request = namedObject("ReceiptRequest", "A request to a model.", {
  id: z.string(),
  purpose: z.enum(["answer", "title", "summary", "suggestions", "embedding"]),
  step: described(z.number(), "The step of the answer, from 1. Each step after tool calls is one."),
  attempt: described(z.number(), "From 1. A retry is another request."),
  model: described(
    z.nullable(z.string()),
    "Null while a blind comparison hides it, like whatever would reveal it: the host, whether that is local, the size and the hash of the body, the counted tokens, and the cost.",
  ),
  host: described(z.nullable(z.string()), "Where it was sent: host and port."),
  is_local: described(
    z.nullable(z.boolean()),
    "Whether that is an address in this server's own network, and nothing was passed on.",
  ),
  body_bytes: z.nullable(z.number()),
  body_sha256: described(z.nullable(z.string()), "Of the exact bytes of its body, in hexadecimal."),
  sent_at: timestamp,
  first_token_at: z.nullable(timestamp),
  ended_at: described(z.nullable(timestamp), "Null while it runs, and if its server died."),
  outcome: z.nullable(z.enum(["completed", "failed", "cancelled"])),
  error_code: z.nullable(z.string()),
  is_estimated: described(
    z.boolean(),
    "Whether the tokens and the cost are an estimate: the model did not report them, because it was stopped, broke off, or never does.",
  ),
  input_tokens: z.nullable(z.number()),
  cached_tokens: described(z.nullable(z.number()), "Those input tokens that the provider had cached."),
  cache_write_tokens: z.nullable(z.number()),
  output_tokens: z.nullable(z.number()),
  reasoning_tokens: z.nullable(z.number()),
  cost_usd: described(z.nullable(z.number()), "By list prices; null if unknown."),
  items: described(
    z.array(item),
    "What it contains and leaves out: instructions, tools, and the messages in order.",
  ),
});
export type ReceiptRequest = z.infer<typeof request>;

const call = namedObject("ReceiptCall", "A tool call that this server carried out.", {
  tool_call_id: z.string(),
  tool_name: z.string(),
  source: described(z.string(), "Whose tool it is: `built-in`, or the id of a tool server."),
  schema_hash: described(z.string(), "What the tool was when it was called."),
  sent_to: described(
    z.nullable(z.string()),
    "Where the arguments went, if they left this server: a host, or words.",
  ),
  result_from: described(z.nullable(z.string()), "Whose text the result is, if strangers wrote it."),
  allowed_by: described(
    z.enum(callAllowances),
    "person: they allowed this call. chat, own-rule: they had allowed the tool in this chat, or always. rule: an administrator did. tool: it neither writes nor leaves this server.",
  ),
  allowed_at: timestamp,
  sent_at: timestamp,
  sent_bytes: described(z.number(), "The size of the arguments."),
  received_bytes: described(z.nullable(z.number()), "The size of the result."),
  ended_at: described(
    z.nullable(timestamp),
    "Null while it runs, and if its server died: then nobody knows what it did.",
  ),
  outcome: z.nullable(z.enum(["completed", "failed"])),
});
export type ReceiptCall = z.infer<typeof call>;

const receipt = namedObject(
  "Receipt",
  "Everything that was sent to models and tools for an answer, oldest first.",
  {
    run_id: z.string(),
    requests: z.array(request),
    calls: described(
      z.array(call),
      "The tool calls of the answer. Denied ones went nowhere and are not listed.",
    ),
  },
);
export type Receipt = z.infer<typeof receipt>;

export const receiptEndpoints = endpoints("visitor", {
  "runs.receipt": {
    request: "GET /v1/runs/{run_id}/receipt",
    members: "read",
    summary: "Get what was sent to models and tools for an answer",
    description:
      "Each request of the answer and of the thread's title, with the host, the size and the hash of its exact body, and references to what it was made from. Also the requests of earlier runs of the same answer. Contents are not stored a second time. Empty for answers of the built-in assistant and for runs that ended before this server recorded requests.",
    response: z.object({ receipt }),
  },
});
