import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { ruleAlgorithms } from "../accounts/rule-algorithms.ts";
import { limits } from "../limits.ts";
import { anonymousTokens } from "./anonymous-tokens.ts";
import {
  anyId,
  described,
  instant,
  namedObject,
  queryName,
  queryNumber,
  timestamp,
  writtenText,
} from "./fields.ts";
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
const appSummary = namedObject("AppSummary", "An app in the list of apps.", {
  ...summary,
  active_keys: described(z.number(), "API keys that work."),
});
export type AppSummary = z.infer<typeof appSummary>;

const jwtRule = namedObject("JwtRule", "Which tokens of a sign-in provider an app accepts.", {
  id: z.string(),
  issuer: z.string(),
  audience: described(z.nullable(z.string()), "Null: tokens for any app are accepted."),
  jwks_url: z.string(),
  workspace_claim: described(z.nullable(z.string()), "The claim that names the workspace; null means `sub`."),
  algorithms: z.array(z.string()),
  created_at: timestamp,
});
export type JwtRule = z.infer<typeof jwtRule>;

const pagesWithoutList = ["machine", "network", "every"] as const;

const app = namedObject("App", "A tenant with its own keys, users and threads.", {
  ...summary,
  origins: described(z.array(z.string()), "Origins whose pages may call this app."),
  origins_for_all: described(z.array(z.string()), "Origins that the operator's settings allow for all apps."),
  without_list: described(
    z.enum(pagesWithoutList),
    "The pages that may call while both lists are empty: those of this machine, of its network too, or of every origin.",
  ),
  jwt_rules: z.array(jwtRule),
  anonymous_tokens: anonymousTokens,
});
export type App = z.infer<typeof app>;

const keyFields = {
  id: z.string(),
  prefix: described(z.string(), "The beginning of the key, by which people recognize it."),
  name: z.string(),
  created_at: timestamp,
  last_used_at: z.nullable(timestamp),
  expires_at: described(z.nullable(timestamp), "Null: never."),
  revoked_at: z.nullable(timestamp),
  is_active: described(z.boolean(), "Neither revoked nor expired."),
  is_from_setting: described(
    z.boolean(),
    "From the setting PARLANCE_API_KEY: the next start of the server adds it again.",
  ),
};
const appKey = namedObject("AppKey", "An API key of an app, without its secret.", keyFields);
export type AppKey = z.infer<typeof appKey>;

const appUser = namedObject("AppUser", "A user of an app: who created threads or started runs.", {
  id: z.string(),
  threads: described(z.number(), "Threads that they created and that are not in the trash."),
  runs: z.number(),
  last_active_at: timestamp,
});
export type AppUser = z.infer<typeof appUser>;

const appName = writtenText(limits.nameCharacters).check(
  z.refine((text) => !/\p{Cc}/u.test(text), "must be on one line"),
);
const origin = z
  .string()
  .check(z.minLength(1, "must not be empty"), z.maxLength(limits.nameCharacters, "is too long"));
const plainText = writtenText(limits.nameCharacters);

const common = { caller: "account", permission: "apps.manage" } as const;

export const consoleEndpoints = endpoints(common, {
  "console.apps": {
    request: "GET /v1/admin/apps",
    summary: "List the apps",
    description: "Oldest first. Users of this server's own web app belong to the first.",
    response: z.object({ apps: z.array(appSummary) }),
  },
  "console.createApp": {
    request: "POST /v1/admin/apps",
    audit: "app-created",
    summary: "Create an app",
    description: "An app has its own keys, users and threads.",
    body: z.object({ name: appName }),
    status: 201,
    response: z.object({ app_id: z.string() }),
    errors: ["app-exists"],
    example: { body: { name: "shop" } },
  },
  "console.app": {
    request: "GET /v1/admin/apps/{app_id}",
    summary: "Get an app",
    description: "With the origins whose pages may call it, and its rules for providers' tokens.",
    response: app,
  },
  "console.keys": {
    request: "GET /v1/admin/apps/{app_id}/keys",
    summary: "List an app's API keys",
    description:
      "Also expired and revoked ones, the newest first. `next` is `after` of the next page; it is null on the last page.",
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 100)) }),
    response: z.object({ keys: z.array(appKey), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.createKey": {
    request: "POST /v1/admin/apps/{app_id}/keys",
    audit: "app-key-created",
    summary: "Create an API key for an app",
    description:
      "The key is shown only here, and works at once. It can act for every user of the app, so it belongs on a server and never in a browser.",
    body: z.object({
      name: appName,
      expires_at: described(z.optional(z.nullable(instant)), "Default: never."),
    }),
    status: 201,
    response: z.object({ ...keyFields, key: z.string() }),
    example: { body: { name: "my app" } },
  },
  "console.revokeKey": {
    request: "DELETE /v1/admin/apps/{app_id}/keys/{key_id}",
    audit: "app-key-revoked",
    summary: "Revoke an API key",
    description: "Refuses the key, and every token created with it, from the next request.",
  },
  "console.addOrigin": {
    request: "POST /v1/admin/apps/{app_id}/origins",
    audit: "app-origin-added",
    summary: "Allow pages of an origin to call an app",
    description:
      "Once an app has a list, pages of other origins may not call it. Adding an origin again changes nothing.",
    body: z.object({ origin }),
    errors: ["too-many-origins"],
    example: { body: { origin: "https://app.example.com" } },
  },
  "console.removeOrigin": {
    request: "DELETE /v1/admin/apps/{app_id}/origins",
    audit: "app-origin-removed",
    summary: "Remove an origin from an app's list",
    description: "Its pages may no longer call. An origin that is not on the list changes nothing.",
    query: z.object({ origin: queryName(limits.nameCharacters) }),
    example: { query: { origin: "https://app.example.com" } },
  },
  "console.addJwtRule": {
    request: "POST /v1/admin/apps/{app_id}/jwt-rules",
    audit: "jwt-rule-added",
    summary: "Accept the tokens of a sign-in provider",
    description:
      "From the next request. `keys_problem` says why its keys cannot be fetched at present. Only owners name a provider in the operator's own network.",
    body: z.object({
      issuer: described(plainText, "Exactly the `iss` of its tokens."),
      jwks_url: described(plainText, "The URL of its public keys."),
      audience: described(
        z.optional(z.nullable(plainText)),
        "The `aud` that tokens must have. Without it, tokens for any app are accepted.",
      ),
      workspace_claim: described(
        z.optional(z.nullable(plainText)),
        "The claim that names the workspace, such as `org_id` or `o.id`. Default: `sub`.",
      ),
      algorithms: described(
        z.optional(
          z
            .array(z.enum(ruleAlgorithms, `must be one of ${ruleAlgorithms.join(", ")}`))
            .check(
              z.minLength(1, "must have at least one"),
              z.maxLength(ruleAlgorithms.length, "has too many entries"),
            ),
        ),
        "Default: RS256.",
      ),
    }),
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
    request: "DELETE /v1/admin/apps/{app_id}/jwt-rules/{jwt_rule_id}",
    audit: "jwt-rule-removed",
    summary: "Remove a rule for a provider's tokens",
    description: "Its tokens are refused, and sessions started with them end.",
  },
  "console.users": {
    request: "GET /v1/admin/apps/{app_id}/users",
    summary: "List an app's users",
    description:
      "Who created threads or started runs, the last active first, without people who have an account on this server. `next` is `cursor` of the next page; it is null on the last page.",
    query: z.object({
      search: described(z.optional(queryName(limits.nameCharacters)), "Only ids with this text."),
      limit: z.optional(queryNumber(1, 100)),
      cursor: z.optional(queryName(1000)),
    }),
    response: z.object({ users: z.array(appUser), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.threads": {
    request: "GET /v1/admin/apps/{app_id}/threads",
    summary: "List an app's threads",
    description:
      "Like the list of threads for the app's API key: without the threads of people who have an account on this server.",
    query: z.extend(threadListQuery, {
      created_by: described(z.optional(anyId), "Only threads that this user created."),
    }),
    response: z.object({ threads: z.array(thread) }),
  },
  "console.messages": {
    request: "GET /v1/admin/apps/{app_id}/threads/{thread_id}/messages",
    summary: "List the messages of an app's thread",
    description: "Newest first. Empty for a thread that the app's API key could not read.",
    query: messageListQuery,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
  },
  "console.runs": {
    request: "GET /v1/admin/apps/{app_id}/runs",
    summary: "List an app's runs",
    description: "Like the list of runs for the app's API key.",
    query: appRunQuery,
    response: appRunList,
    errors: ["bad-cursor"],
  },
  "console.run": {
    request: "GET /v1/admin/apps/{app_id}/runs/{run_id}",
    summary: "Get an app's run with its trace",
    description: "Like the run for the app's API key.",
    response: appRun,
  },
  "console.scores": {
    request: "GET /v1/admin/apps/{app_id}/scores",
    summary: "List an app's scores and feedback",
    description: "Newest first. After a page of exactly `limit` scores there may be more.",
    query: scoreListQuery,
    response: z.object({ scores: z.array(score) }),
    errors: ["bad-cursor"],
    example: { query: { name: "feedback" } },
  },
  "console.usage": {
    request: "GET /v1/admin/apps/{app_id}/usage",
    summary: "Get an app's runs, errors, tokens and cost by day",
    description: "Like the usage for the app's API key.",
    query: usageQuery,
    response: usageDays,
    errors: ["bad-day-range"],
  },
});
