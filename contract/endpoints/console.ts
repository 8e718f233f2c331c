import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { ruleAlgorithms } from "../accounts/rule-algorithms.ts";
import { limits } from "../limits.ts";
import { anonymousTokens } from "./anonymous-tokens.ts";
import { anyId, emptyObject, instant, queryName, queryNumber, timestamp, writtenText } from "./fields.ts";
import { message, messageListQuery } from "./messages.ts";
import { projectRun, projectRunList, projectRunQuery, usageDays, usageQuery } from "./apps.ts";
import { score, scoreListQuery } from "./scores.ts";
import { thread, threadListQuery } from "./threads.ts";

/** What administrators do with the projects of their apps: what the command line and a project's API key can do. */

const summary = {
  id: z.string(),
  name: z.string(),
  created_at: timestamp,
};
const projectSummary = z
  .object({ ...summary, active_keys: z.number().check(z.describe("API keys that work.")) })
  .check(z.meta({ id: "ProjectSummary", description: "A project in the list of projects." }));
export type ProjectSummary = z.infer<typeof projectSummary>;

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
  .check(z.meta({ id: "JwtRule", description: "Which tokens of a sign-in provider a project accepts." }));
export type JwtRule = z.infer<typeof jwtRule>;

const pagesWithoutList = ["machine", "network", "every"] as const;

const project = z
  .object({
    ...summary,
    origins: z.array(z.string()).check(z.describe("Origins whose pages may call this project.")),
    origins_for_all: z
      .array(z.string())
      .check(z.describe("Origins that the operator's settings allow for all projects.")),
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
  .check(z.meta({ id: "Project", description: "A tenant with its own keys, users and threads." }));
export type Project = z.infer<typeof project>;

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
const projectKey = z
  .object(keyFields)
  .check(z.meta({ id: "ProjectKey", description: "An API key of a project, without its secret." }));
export type ProjectKey = z.infer<typeof projectKey>;

const projectUser = z
  .object({
    id: z.string(),
    threads: z.number().check(z.describe("Threads that they created and that are not in the trash.")),
    runs: z.number(),
    last_active_at: timestamp,
  })
  .check(
    z.meta({ id: "ProjectUser", description: "A user of an app: who created threads or started runs." }),
  );
export type ProjectUser = z.infer<typeof projectUser>;

const projectName = writtenText(limits.nameCharacters).check(
  z.refine((text) => !/\p{Cc}/u.test(text), "must be on one line"),
);
const origin = z
  .string()
  .check(z.minLength(1, "must not be empty"), z.maxLength(limits.nameCharacters, "is too long"));
const plainText = writtenText(limits.nameCharacters);

const permission = "projects.manage" as const;
const params = z.object({ project_id: anyId });

export const consoleEndpoints = {
  "console.projects": {
    method: "GET",
    path: "/v1/admin/projects",
    caller: "account",
    permission,
    summary: "List the projects",
    description: "Oldest first. Users of this server's own web app belong to the first.",
    kind: "json",
    status: 200,
    response: z.object({ projects: z.array(projectSummary) }),
  },
  "console.createProject": {
    method: "POST",
    path: "/v1/admin/projects",
    caller: "account",
    permission,
    audit: "project-created",
    summary: "Create a project",
    description: "A project has its own keys, users and threads.",
    body: z.object({ name: projectName }),
    kind: "json",
    status: 201,
    response: z.object({ project_id: z.string() }),
    errors: ["project-exists"],
    example: { body: { name: "shop" } },
  },
  "console.project": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}",
    caller: "account",
    permission,
    summary: "Get a project",
    description: "With the origins whose pages may call it, and its rules for providers' tokens.",
    params,
    kind: "json",
    status: 200,
    response: project,
  },
  "console.keys": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/keys",
    caller: "account",
    permission,
    summary: "List a project's API keys",
    description:
      "Also expired and revoked ones, the newest first. `next` is `after` of the next page; it is null on the last page.",
    params,
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 100)) }),
    kind: "json",
    status: 200,
    response: z.object({ keys: z.array(projectKey), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.createKey": {
    method: "POST",
    path: "/v1/admin/projects/{project_id}/keys",
    caller: "account",
    permission,
    audit: "project-key-created",
    summary: "Create an API key for a project",
    description:
      "The key is shown only here, and works at once. It can act for every user of the project that an app or a visitor without an account is, so it belongs on a server and never in a browser.",
    params,
    body: z.object({
      name: projectName,
      expires_at: z.optional(z.nullable(instant)).check(z.describe("Default: never.")),
    }),
    kind: "json",
    status: 201,
    response: z.object({ ...keyFields, key: z.string() }),
    example: { body: { name: "my app" } },
  },
  "console.revokeKey": {
    method: "DELETE",
    path: "/v1/admin/projects/{project_id}/keys/{key_id}",
    caller: "account",
    permission,
    audit: "project-key-revoked",
    summary: "Revoke an API key",
    description: "Refuses the key, and every token created with it, from the next request.",
    params: z.object({ project_id: anyId, key_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "console.addOrigin": {
    method: "POST",
    path: "/v1/admin/projects/{project_id}/origins",
    caller: "account",
    permission,
    audit: "project-origin-added",
    summary: "Allow pages of an origin to call a project",
    description:
      "Once a project has a list, pages of other origins may not call it. Adding an origin again changes nothing.",
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
    path: "/v1/admin/projects/{project_id}/origins",
    caller: "account",
    permission,
    audit: "project-origin-removed",
    summary: "Remove an origin from a project's list",
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
    path: "/v1/admin/projects/{project_id}/jwt-rules",
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
    path: "/v1/admin/projects/{project_id}/jwt-rules/{jwt_rule_id}",
    caller: "account",
    permission,
    audit: "jwt-rule-removed",
    summary: "Remove a rule for a provider's tokens",
    description: "Its tokens are refused, and sessions started with them end.",
    params: z.object({ project_id: anyId, jwt_rule_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
  },
  "console.users": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/users",
    caller: "account",
    permission,
    summary: "List a project's users",
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
    response: z.object({ users: z.array(projectUser), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "console.threads": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/threads",
    caller: "account",
    permission,
    summary: "List a project's threads",
    description:
      "Like the list of threads for the project's API key: without the threads of people who have an account on this server.",
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
    path: "/v1/admin/projects/{project_id}/threads/{thread_id}/messages",
    caller: "account",
    permission,
    summary: "List the messages of a project's thread",
    description: "Newest first. Empty for a thread that the project's API key could not read.",
    params: z.object({ project_id: anyId, thread_id: anyId }),
    query: messageListQuery,
    kind: "json",
    status: 200,
    response: z.object({ messages: z.array(message) }),
    errors: ["page-too-large"],
  },
  "console.runs": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/runs",
    caller: "account",
    permission,
    summary: "List a project's runs",
    description: "Like the list of runs for the project's API key.",
    params,
    query: projectRunQuery,
    kind: "json",
    status: 200,
    response: projectRunList,
    errors: ["bad-cursor"],
  },
  "console.run": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/runs/{run_id}",
    caller: "account",
    permission,
    summary: "Get a project's run with its trace",
    description: "Like the run for the project's API key.",
    params: z.object({ project_id: anyId, run_id: anyId }),
    kind: "json",
    status: 200,
    response: projectRun,
  },
  "console.scores": {
    method: "GET",
    path: "/v1/admin/projects/{project_id}/scores",
    caller: "account",
    permission,
    summary: "List a project's scores and feedback",
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
    path: "/v1/admin/projects/{project_id}/usage",
    caller: "account",
    permission,
    summary: "Get a project's runs, errors, tokens and cost by day",
    description: "Like the usage for the project's API key.",
    params,
    query: usageQuery,
    kind: "json",
    status: 200,
    response: usageDays,
    errors: ["bad-day-range"],
  },
} as const satisfies Endpoints;
