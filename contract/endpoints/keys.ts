import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject, timestamp, wholeNumber, writtenText } from "./fields.ts";

const personalKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().check(z.describe("Its first characters, to recognize it by.")),
    created_at: timestamp,
    last_used_at: z.nullable(timestamp).check(z.describe("Exact to a minute. Null if it was never used.")),
    expires_at: z.nullable(timestamp),
  })
  .check(z.meta({ id: "PersonalKey", description: "A key to use this server's models in other programs." }));
export type PersonalKey = z.infer<typeof personalKey>;

export const personalKeyEndpoints = {
  "keys.list": {
    method: "GET",
    path: "/v1/keys",
    caller: "account",
    summary: "List your keys",
    description: "The keys that you have not revoked, newest first. The keys themselves are not stored.",
    kind: "json",
    status: 200,
    response: z.object({ keys: z.array(personalKey) }),
  },
  "keys.create": {
    method: "POST",
    path: "/v1/keys",
    caller: "account",
    permission: "api-keys.use",
    audit: "personal-key-created",
    summary: "Create a key",
    description:
      "The key is in this response only. It works for the paths below `/openai/v1` and acts as you.",
    body: z.object({
      name: writtenText(limits.accountNameCharacters),
      expires_in_days: z.optional(wholeNumber(1, 3_650)).check(z.describe("Default: it never expires.")),
    }),
    kind: "json",
    status: 201,
    response: z.object({
      key: personalKey,
      secret: z.string().check(z.describe("The key itself, which programs send.")),
    }),
    errors: ["too-many-personal-keys"],
    example: { body: { name: "My editor", expires_in_days: 365 } },
  },
  "keys.revoke": {
    method: "DELETE",
    path: "/v1/keys/{key_id}",
    caller: "account",
    audit: "personal-key-revoked",
    summary: "Revoke a key",
    description: "Requests with the key are refused from then on.",
    params: z.object({ key_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
  },
} as const satisfies Endpoints;
