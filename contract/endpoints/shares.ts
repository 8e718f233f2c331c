import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { anyId, emptyObject, instant, textOf, timestamp } from "./fields.ts";

const audience = z
  .enum(["anyone", "members"], 'must be "anyone" or "members"')
  .check(z.describe("Who can open the link: anyone, or only people with an account on this server."));

const share = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    title: z.nullable(z.string()).check(z.describe("The thread's title.")),
    url: z
      .nullable(z.string())
      .check(z.describe("The link. Null if the server's secret has changed since, which ended the link.")),
    is_live: z.boolean().check(z.describe("Whether the link shows the thread as it changes.")),
    all_branches: z.boolean().check(z.describe("Whether readers can switch to the thread's other branches.")),
    with_files: z.boolean(),
    audience,
    has_password: z.boolean(),
    expires_at: z.nullable(timestamp),
    views: z.number().check(z.describe("How often the page was opened.")),
    created_at: timestamp,
  })
  .check(z.meta({ id: "Share", description: "A link to a thread for other people." }));
export type Share = z.infer<typeof share>;

const password = z.nullable(textOf(limits.passwordCharactersMin, limits.passwordCharacters));
const expiresAt = z.nullable(instant);
const shareParams = z.object({ share_id: anyId });

export const shareEndpoints = {
  "shares.list": {
    method: "GET",
    path: "/v1/shares",
    caller: "account",
    summary: "List your links",
    description: "The links that you have not revoked, newest first, also expired ones.",
    query: z.object({ thread_id: z.optional(anyId) }),
    kind: "json",
    status: 200,
    response: z.object({ shares: z.array(share) }),
  },
  "shares.create": {
    method: "POST",
    path: "/v1/shares",
    caller: "account",
    permission: "threads.share",
    audit: "share-created",
    summary: "Share a thread",
    description:
      "Creates a link to the branch of the thread that you see: a snapshot that ends with its last finished message, or a live view. Reasoning, tool calls and sources in your own threads are never shown.",
    body: z.object({
      thread_id: anyId,
      is_live: z.optional(z.boolean()).check(z.describe("Default: false, a snapshot.")),
      all_branches: z
        .optional(z.boolean())
        .check(z.describe("Lets readers switch to the other branches. Default: false.")),
      with_files: z.optional(z.boolean()).check(z.describe("Default: false.")),
      audience: z.optional(audience).check(z.describe('Default: "anyone".')),
      password: z.optional(password).check(z.describe("Default: none.")),
      expires_at: z.optional(expiresAt).check(z.describe("Default: null, it never expires.")),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    kind: "json",
    status: 201,
    response: share,
    errors: ["thread-not-found", "thread-temporary", "nothing-to-share", "too-many-shares"],
    example: { body: { thread_id: "$THREAD_ID", with_files: true, expires_at: "2099-12-31T00:00:00.000Z" } },
  },
  "shares.update": {
    method: "PUT",
    path: "/v1/shares/{share_id}",
    caller: "account",
    permission: "threads.share",
    audit: "share-changed",
    summary: "Change a link",
    description: "Fields that are left out are not changed. With another password, everyone has to enter it.",
    params: shareParams,
    body: z.object({
      all_branches: z.optional(z.boolean()),
      with_files: z.optional(z.boolean()),
      audience: z.optional(audience),
      password: z.optional(password).check(z.describe("Null removes it.")),
      expires_at: z.optional(expiresAt),
    }),
    requestsPerMinute: limits.passwordsPerMinute,
    kind: "json",
    status: 200,
    response: share,
    example: { body: { with_files: false, expires_at: null } },
  },
  "shares.revoke": {
    method: "DELETE",
    path: "/v1/shares/{share_id}",
    caller: "account",
    audit: "share-revoked",
    summary: "Revoke a link",
    description: "The link and its files are not found from then on, and open live views end.",
    params: shareParams,
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "shares.continue": {
    method: "POST",
    path: "/v1/shares/continue",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Continue a shared thread",
    description:
      "Copies what the link shows into a new thread of yours. Only for people of this server, with or without an account.",
    isWrite: true,
    body: z.object({
      token: textOf(1, limits.nameCharacters).check(z.describe("The last part of the link's path.")),
      pass: z
        .optional(textOf(1, limits.nameCharacters))
        .check(z.describe("What the page got for the link's password.")),
      at: z
        .optional(anyId)
        .check(z.describe("A message of the branch to copy, if the link shares all branches.")),
    }),
    kind: "json",
    status: 201,
    response: z.object({ thread_id: z.string() }),
    errors: ["share-not-found", "share-locked", "too-many-transfers", "quota-full"],
    example: { body: { token: "$SHARE_TOKEN" } },
  },
} as const satisfies Endpoints;
