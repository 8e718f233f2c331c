import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { described, namedObject, timestamp, wholeNumber, writtenText } from "./fields.ts";

const personalKey = namedObject("PersonalKey", "A key to use this server's models in other programs.", {
  id: z.string(),
  name: z.string(),
  prefix: described(z.string(), "Its first characters, to recognize it by."),
  created_at: timestamp,
  last_used_at: described(z.nullable(timestamp), "Exact to a minute. Null if it was never used."),
  expires_at: z.nullable(timestamp),
});
export type PersonalKey = z.infer<typeof personalKey>;

export const personalKeyEndpoints = endpoints("account", {
  "keys.list": {
    request: "GET /v1/keys",
    summary: "List your keys",
    description: "The keys that you have not revoked, newest first. The keys themselves are not stored.",
    response: z.object({ keys: z.array(personalKey) }),
  },
  "keys.create": {
    request: "POST /v1/keys",
    permission: "api-keys.use",
    audit: "personal-key-created",
    summary: "Create a key",
    description:
      "The key is in this response only. It works for the paths below `/openai/v1` and acts as you.",
    body: z.object({
      name: writtenText(limits.accountNameCharacters),
      expires_in_days: described(z.optional(wholeNumber(1, 3_650)), "Default: it never expires."),
    }),
    status: 201,
    response: z.object({
      key: personalKey,
      secret: described(z.string(), "The key itself, which programs send."),
    }),
    errors: ["too-many-personal-keys"],
    example: { body: { name: "My editor", expires_in_days: 365 } },
  },
  "keys.revoke": {
    request: "DELETE /v1/keys/{key_id}",
    audit: "personal-key-revoked",
    summary: "Revoke a key",
    description: "Requests with the key are refused from then on.",
  },
});
