import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { endpoints } from "../endpoints/endpoints.ts";
import { described, namedObject, textOf } from "../endpoints/fields.ts";

export const searchServiceNames = ["searxng", "brave", "tavily", "exa", "kagi"] as const;
export type SearchServiceName = (typeof searchServiceNames)[number];

const fields = {
  service: described(z.enum(searchServiceNames), "The search service that is asked."),
  address: described(
    z.nullable(
      textOf(1, 500).check(z.regex(/^https?:\/\/[^\s?#@]+$/i, "must begin with https:// or http://")),
    ),
    "The address of the server. Null for a service’s own address; SearXNG needs one.",
  ),
};

const settings = namedObject("WebSearchSettings", "The service that searches the web for people.", {
  ...fields,
  has_key: z.boolean(),
});
export type WebSearchSettings = z.infer<typeof settings>;

export const webSearchProblems = [
  "unreachable",
  "timeout",
  "key-refused",
  "used-up",
  "json-off",
  "private",
  "not-understood",
  "refused",
] as const;
export type WebSearchProblem = (typeof webSearchProblems)[number];

const testResult = namedObject("WebSearchTestResult", "Whether the search works.", {
  problem: described(z.nullable(z.enum(webSearchProblems)), "Null if it works."),
  service_text: described(z.nullable(z.string()), "What the service said."),
  titles: described(z.array(z.string()), "The titles of the pages that were found."),
  took_ms: z.number(),
});
export type WebSearchTestResult = z.infer<typeof testResult>;

const permission = "models.manage" as const;

export const webSearchEndpoints = endpoints("account", {
  "webSearch.get": {
    request: "GET /v1/web-search",
    permission,
    summary: "Get the search service",
    description:
      "Null if none has been entered: then assistants cannot search the web. The key is never returned.",
    response: z.object({ settings: z.nullable(settings) }),
  },
  "webSearch.put": {
    request: "PUT /v1/web-search",
    permission,
    audit: "web-search-changed",
    summary: "Set the search service",
    description:
      "From now on, assistants can search the web, and ask the person before they do. The key is stored encrypted. Omit it to keep the stored one; this works only if service and address are unchanged. Only an owner can enter a server in this server’s own network.",
    body: z.object({ ...fields, key: z.optional(textOf(1, 1_000)) }),
    errors: ["secret-not-set", "provider-private"],
    example: { body: { service: "searxng", address: "https://search.example.com" } },
  },
  "webSearch.remove": {
    request: "DELETE /v1/web-search",
    permission,
    audit: "web-search-changed",
    summary: "Remove the search service",
    description: "Assistants cannot search the web any more.",
    errors: ["web-search-not-set"],
  },
  "webSearch.test": {
    request: "POST /v1/web-search/test",
    permission,
    audit: { none: "no-change" },
    summary: "Search for something with the stored settings",
    description: "The answer says what is wrong, or what was found.",
    body: z.object({ query: textOf(1, 200) }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: testResult,
    errors: ["web-search-not-set", "rate-limited"],
    example: { body: { query: "weather in Hamburg" } },
  },
});
