import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { ruleAlgorithms } from "../accounts/rule-algorithms.ts";
import { limits } from "../limits.ts";
import { anonymousTokens } from "./anonymous-tokens.ts";
import { anyId, emptyObject, instant, queryName, queryNumber, timestamp, writtenText } from "./fields.ts";
import { message, messageListQuery } from "./messages.ts";
import { appRun, appRunList, appRunQuery, usageDays, usageQuery } from "./apps.ts";
import { score, scoreListQuery } from "./scores.ts";
import { thread, threadListQuery } from "./threads.ts";

/** What administrators do with apps: what the command line and an app's API key can do. */

const summary = {
  id: z.string(),
  name: z.string(),
  created_at: timestamp,
};
const appSummary = z
  .object({ ...summary, active_keys: z.number().check(z.describe("API keys that work.")) })
  .check(z.meta({ id: "AppSummary", description: "An app in the list of apps." }));
export type AppSummary = z.infer<typeof appSummary>;

const jwtRule = z
  .object({
    id: z.string(),
    issuer: z.string(),
    audience: z.nullable(z.string()).check(z.describe("Null: tokens for any app are accepted.")),
    jwks_url: z.string(),
    workspace_claim: z
      .nullable(z.string())
      .check(z.describe("The claim that names the workspace; null means `sub`.")),
    algorithms: z.array(z.string()),
    created_at: timestamp,
  })
  .check(z.meta({ id: "JwtRule", description: "Which tokens of a sign-in provider an app accepts." }));
export type JwtRule = z.infer<typeof jwtRule>;

const pagesWithoutList = ["machine", "network", "every"] as const;

const app = z
  .object({
    ...summary,
    origins: z.array(z.string()).check(z.describe("Origins whose pages may call this app.")),
    origins_for_all: z
      .array(z.string())
      .check(z.describe("Origins that the operator's settings allow for all apps.")),
    without_list: z
      .enum(pagesWithoutList)
      .check(
        z.describe(
          "The pages that may call while both lists are empty: those of this machine, of its network too, or of every origin.",
        ),
      ),
    jwt_rules: z.array(jwtRule),
    anonymous_tokens: anonymousTokens,
  })
  .check(z.meta({ id: "App", description: "A tenant with its own keys, users and threads." }));
export type App = z.infer<typeof app>;

const keyFields = {
  id: z.string(),
  prefix: z.string().check(z.describe("The beginning of the key, by which people recognize it.")),
  name: z.string(),
  created_at: timestamp,
  last_used_at: z.nullable(timestamp),
  expires_at: z.nullable(timestamp).check(z.describe("Null: never.")),
  revoked_at: z.nullable(timestamp),
  is_active: z.boolean().check(z.describe("Neither revoked nor expired.")),
  is_from_setting: z
    .boolean()
    .check(z.describe("From the setting PARLANCE_API_KEY: the next start of the server adds it again.")),
};
const appKey = z
  .object(keyFields)
  .check(z.meta({ id: "AppKey", description: "An API key of an app, without its secret." }));
export type AppKey = z.infer<typeof appKey>;

const appUser = z
  .object({
    id: z.string(),
    threads: z.number().check(z.describe("Threads that they created and that are not in the trash.")),
    runs: z.number(),
    last_active_at: timestamp,
  })
  .check(z.meta({ id: "AppUser", description: "A user of an app: who created threads or started runs." }));
export type AppUser = z.infer<typeof appUser>;

const appName = writtenText(limits.nameCharacters).check(
  z.refine((text) => !/\p{Cc}/u.test(text), "must be on one line"),
);
const origin = z
  .string()
  .check(z.minLength(1, "must not be empty"), z.maxLength(limits.nameCharacters, "is too long"));
const plainText = writtenText(limits.nameCharacters);

const permission = "apps.manage" as const;
const params = z.object({ app_id: anyId });

export const consoleEndpoints = {
  "console.apps": {
    method: "GET",
    path: "/v1/admin/apps",
    caller: "account",
    permission,
    summary: "List the apps",
    description: "Oldest first. Users of this server's own web app belong to the first.",
    kind: "json",
    status: 200,
    response: z.object({ apps: z.array(appSummary) }),
  },
  "console.createApp": {
    method: "POST",
    path: "/v1/admin/apps",
    caller: "account",
    permission,
    audit: "app-created",
    summary: "Create an app",
    description: "An app has its own keys, users and threads.",
    body: z.object({ name: appName }),
    kind: "json",
    status: 201,
    response: z.object({ app_id: z.string() }),
    errors: ["app-exists"],
    example: { body: { name: "shop" } },
  },
  "console.app": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}",
    caller: "account",
    permission,
    summary: "Get an app",
    description: "With the origins whose pages may call it, and its rules for providers' tokens.",
    params,
    kind: "json",
    status: 200,
    response: app,
  },
  "console.keys": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/keys",
    caller: "account",
    permission,
    summary: "List an app's API keys",
    description:
      "Also expired and revoked ones, the newest first. `next` is `after` of the next page; it is null on the last page.",
    params,
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 100)) }),
    kind: "json",
    status: 200,
    response: z.object({ keys: z.array(appKey), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.createKey": {
    method: "POST",
    path: "/v1/admin/apps/{app_id}/keys",
    caller: "account",
    permission,
    audit: "app-key-created",
    summary: "Create an API key for an app",
    description:
      "The key is shown only here, and works at once. It can act for every user of the app, so it belongs on a server and never in a browser.",
    params,
    body: z.object({
      name: appName,
      expires_at: z.optional(z.nullable(instant)).check(z.describe("Default: never.")),
    }),
    kind: "json",
    status: 201,
    response: z.object({ ...keyFields, key: z.string() }),
    example: { body: { name: "my app" } },
  },
  "console.revokeKey": {
    method: "DELETE",
    path: "/v1/admin/apps/{app_id}/keys/{key_id}",
    caller: "account",
    permission,
    audit: "app-key-revoked",
    summary: "Revoke an API key",
    description: "Refuses the key, and every token created with it, from the next request.",
    params: z.object({ app_id: anyId, key_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "console.addOrigin": {
    method: "POST",
    path: "/v1/admin/apps/{app_id}/origins",
    caller: "account",
    permission,
    audit: "app-origin-added",
    summary: "Allow pages of an origin to call an app",
    description:
      "Once an app has a list, pages of other origins may not call it. Adding an origin again changes nothing.",
    params,
    body: z.object({ origin }),
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["too-many-origins"],
    example: { body: { origin: "https://app.example.com" } },
  },
  "console.removeOrigin": {
    method: "DELETE",
    path: "/v1/admin/apps/{app_id}/origins",
    caller: "account",
    permission,
    audit: "app-origin-removed",
    summary: "Remove an origin from an app's list",
    description: "Its pages may no longer call. An origin that is not on the list changes nothing.",
    params,
    query: z.object({ origin: queryName(limits.nameCharacters) }),
    kind: "json",
    status: 200,
    response: emptyObject,
    example: { query: { origin: "https://app.example.com" } },
  },
  "console.addJwtRule": {
    method: "POST",
    path: "/v1/admin/apps/{app_id}/jwt-rules",
    caller: "account",
    permission,
    audit: "jwt-rule-added",
    summary: "Accept the tokens of a sign-in provider",
    description:
      "From the next request. `keys_problem` says why its keys cannot be fetched at present. Only owners name a provider in the operator's own network.",
    params,
    body: z.object({
      issuer: plainText.check(z.describe("Exactly the `iss` of its tokens.")),
      jwks_url: plainText.check(z.describe("The URL of its public keys.")),
      audience: z
        .optional(z.nullable(plainText))
        .check(z.describe("The `aud` that tokens must have. Without it, tokens for any app are accepted.")),
      workspace_claim: z
        .optional(z.nullable(plainText))
        .check(z.describe("The claim that names the workspace, such as `org_id` or `o.id`. Default: `sub`.")),
      algorithms: z
        .optional(
          z
            .array(z.enum(ruleAlgorithms, `must be one of ${ruleAlgorithms.join(", ")}`))
            .check(
              z.minLength(1, "must have at least one"),
              z.maxLength(ruleAlgorithms.length, "has too many entries"),
            ),
        )
        .check(z.describe("Default: RS256.")),
    }),
    kind: "json",
    status: 201,
    response: z.object({ rule: jwtRule, keys_problem: z.nullable(z.string()) }),
    errors: ["provider-private"],
    example: {
      body: {
        issuer: "https://login.example.com/",
        jwks_url: "https://login.example.com/.well-known/jwks.json",
        audience: "my-app",
      },
    },
  },
  "console.removeJwtRule": {
    method: "DELETE",
    path: "/v1/admin/apps/{app_id}/jwt-rules/{jwt_rule_id}",
    caller: "account",
    permission,
    audit: "jwt-rule-removed",
    summary: "Remove a rule for a provider's tokens",
    description: "Its tokens are refused, and sessions started with them end.",
    params: z.object({ app_id: anyId, jwt_rule_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "console.users": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/users",
    caller: "account",
    permission,
    summary: "List an app's users",
    description:
      "Who created threads or started runs, the last active first, without people who have an account on this server. `next` is `cursor` of the next page; it is null on the last page.",
    params,
    query: z.object({
      search: z.optional(queryName(limits.nameCharacters)).check(z.describe("Only ids with this text.")),
      limit: z.optional(queryNumber(1, 100)),
      cursor: z.optional(queryName(1000)),
    }),
    kind: "json",
    status: 200,
    response: z.object({ users: z.array(appUser), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.threads": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/threads",
    caller: "account",
    permission,
    summary: "List an app's threads",
    description:
      "Like the list of threads for the app's API key: without the threads of people who have an account on this server.",
    params,
    query: z.extend(threadListQuery, {
      created_by: z.optional(anyId).check(z.describe("Only threads that this user created.")),
    }),
    kind: "json",
    status: 200,
    response: z.object({ threads: z.array(thread) }),
  },
  "console.messages": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/threads/{thread_id}/messages",
    caller: "account",
    permission,
    summary: "List the messages of an app's thread",
    description: "Newest first. Empty for a thread that the app's API key could not read.",
    params: z.object({ app_id: anyId, thread_id: anyId }),
    query: messageListQuery,
    kind: "json",
    status: 200,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
  },
  "console.runs": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/runs",
    caller: "account",
    permission,
    summary: "List an app's runs",
    description: "Like the list of runs for the app's API key.",
    params,
    query: appRunQuery,
    kind: "json",
    status: 200,
    response: appRunList,
    errors: ["bad-cursor"],
  },
  "console.run": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/runs/{run_id}",
    caller: "account",
    permission,
    summary: "Get an app's run with its trace",
    description: "Like the run for the app's API key.",
    params: z.object({ app_id: anyId, run_id: anyId }),
    kind: "json",
    status: 200,
    response: appRun,
  },
  "console.scores": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/scores",
    caller: "account",
    permission,
    summary: "List an app's scores and feedback",
    description: "Newest first. After a page of exactly `limit` scores there may be more.",
    params,
    query: scoreListQuery,
    kind: "json",
    status: 200,
    response: z.object({ scores: z.array(score) }),
    errors: ["bad-cursor"],
    example: { query: { name: "feedback" } },
  },
  "console.usage": {
    method: "GET",
    path: "/v1/admin/apps/{app_id}/usage",
    caller: "account",
    permission,
    summary: "Get an app's runs, errors, tokens and cost by day",
    description: "Like the usage for the app's API key.",
    params,
    query: usageQuery,
    kind: "json",
    status: 200,
    response: usageDays,
    errors: ["bad-day-range"],
  },
} as const satisfies Endpoints;
