import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { anyId, described, instant, namedObject, textOf, timestamp } from "./fields.ts";

const audience = described(
  z.enum(["anyone", "members"], 'must be "anyone" or "members"'),
  "Who can open the link: anyone, or only people with an account on this server.",
);

const share = namedObject("Share", "A link to a thread for other people.", {
  id: z.string(),
  thread_id: z.string(),
  title: described(z.nullable(z.string()), "The thread's title."),
  url: described(
    z.nullable(z.string()),
    "The link. Null if the server's secret has changed since, which ended the link.",
  ),
  is_live: described(z.boolean(), "Whether the link shows the thread as it changes."),
  all_branches: described(z.boolean(), "Whether readers can switch to the thread's other branches."),
  with_files: z.boolean(),
  audience,
  has_password: z.boolean(),
  expires_at: z.nullable(timestamp),
  views: described(z.number(), "How often the page was opened."),
  created_at: timestamp,
});
export type Share = z.infer<typeof share>;

const password = z.nullable(textOf(limits.passwordCharactersMin, limits.passwordCharacters));
const expiresAt = z.nullable(instant);

export const shareEndpoints = endpoints("account", {
  "shares.list": {
    request: "GET /v1/shares",
    summary: "List your links",
    description: "The links that you have not revoked, newest first, also expired ones.",
    query: z.object({ thread_id: z.optional(anyId) }),
    response: z.object({ shares: z.array(share) }),
  },
  "shares.create": {
    request: "POST /v1/shares",
    permission: "threads.share",
    audit: "share-created",
    summary: "Share a thread",
    description:
      "Creates a link to the branch of the thread that you see: a snapshot that ends with its last finished message, or a live view. Reasoning, tool calls and sources in your own threads are never shown.",
    body: z.object({
      thread_id: anyId,
      is_live: described(z.optional(z.boolean()), "Default: false, a snapshot."),
      all_branches: described(
        z.optional(z.boolean()),
        "Lets readers switch to the other branches. Default: false.",
      ),
      with_files: described(z.optional(z.boolean()), "Default: false."),
      audience: described(z.optional(audience), 'Default: "anyone".'),
      password: described(z.optional(password), "Default: none."),
      expires_at: described(z.optional(expiresAt), "Default: null, it never expires."),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    status: 201,
    response: share,
    errors: ["thread-not-found", "thread-temporary", "nothing-to-share", "too-many-shares"],
    example: {
      body: { thread_id: "$THREAD_ID", with_files: true, expires_at: "2099-12-31T00:00:00.000Z" },
    },
  },
  "shares.update": {
    request: "PUT /v1/shares/{share_id}",
    permission: "threads.share",
    audit: "share-changed",
    summary: "Change a link",
    description: "Fields that are left out are not changed. With another password, everyone has to enter it.",
    body: z.object({
      all_branches: z.optional(z.boolean()),
      with_files: z.optional(z.boolean()),
      audience: z.optional(audience),
      password: described(z.optional(password), "Null removes it."),
      expires_at: z.optional(expiresAt),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: share,
    example: { body: { with_files: false, expires_at: null } },
  },
  "shares.revoke": {
    request: "DELETE /v1/shares/{share_id}",
    audit: "share-revoked",
    summary: "Revoke a link",
    description: "The link and its files are not found from then on, and open live views end.",
  },
  "shares.continue": {
    request: "POST /v1/shares/continue",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Continue a shared thread",
    description:
      "Copies what the link shows into a new thread of yours. Only for people of this server, with or without an account.",
    isWrite: true,
    body: z.object({
      token: described(textOf(1, limits.nameCharacters), "The last part of the link's path."),
      pass: described(
        z.optional(textOf(1, limits.nameCharacters)),
        "What the page got for the link's password.",
      ),
      at: described(z.optional(anyId), "A message of the branch to copy, if the link shares all branches."),
    }),
    status: 201,
    response: z.object({ thread_id: z.string() }),
    errors: ["share-not-found", "share-locked", "too-many-transfers", "quota-full"],
    example: { body: { token: "$SHARE_TOKEN" } },
  },
});
