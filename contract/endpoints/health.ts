import * as z from "zod/mini";
import { backupHealth } from "../backups/endpoints.ts";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { described, namedObject, timestamp } from "./fields.ts";

const health = namedObject("Health", "The server, its database and its disk.", {
  version: described(z.string(), "The version of Parlance."),
  commit: described(z.nullable(z.string()), "The commit that it was built from; null if that is not known."),
  node_version: z.string(),
  started_at: described(timestamp, "When this process started."),
  memory_bytes: described(z.number(), "The memory that this process uses."),
  database: z.object({
    engine: z.enum(["sqlite", "postgres"]),
    version: z.string(),
    size_bytes: z.number(),
  }),
  file_storage: z.enum(["disk", "s3"]),
  backups: backupHealth,
  people: described(z.number(), "People with an account."),
  threads: z.number(),
  files: described(z.number(), "Different contents of files."),
  file_bytes: z.number(),
  disk: described(
    z.nullable(z.object({ free_bytes: z.number(), total_bytes: z.number() })),
    "The disk of the data folder; null without a data folder.",
  ),
  extras: described(
    z.array(
      z.object({
        name: z.string(),
        state: described(
          z.enum(["ready", "missing", "outdated", "damaged"]),
          "`outdated`: added for another version of Parlance. `damaged`: its files are not those that were added.",
        ),
        languages: z.array(z.string()),
        command: described(z.string(), "How it is added on the machine of the server."),
      }),
    ),
    "What administrators can add with the command `add`, such as OCR.",
  ),
});
export type Health = z.infer<typeof health>;

const finding = z.object({
  check: z.string(),
  about: z.string(),
  count: z.number(),
  ids: described(z.array(z.string()), "The first rows or files that it is about."),
  remedy: z.string(),
});

const healthCheck = namedObject("HealthCheck", "What a check of the whole installation found.", {
  checks: described(z.array(z.string()), "The names of the checks."),
  faults: described(z.array(finding), "Problems that need a repair."),
  notes: described(z.array(finding), "What the server repairs by itself, and advice."),
  checked_at: timestamp,
  took_ms: z.number(),
});
export type HealthCheck = z.infer<typeof healthCheck>;

const updates = namedObject("Updates", "Newer releases of the server.", {
  version: described(z.string(), "The version of this server."),
  is_on: described(z.boolean(), "Whether the server looks for newer releases, once a day."),
  source: described(
    z.nullable(z.string()),
    "The URL that is asked; null if npm, which knows its registry, is not on the server’s machine and UPDATE_URL is not set.",
  ),
  looked_at: described(z.nullable(timestamp), "When it was asked the last time."),
  has_failed: described(z.boolean(), "Whether that failed."),
  newer: described(
    z.nullable(z.object({ version: z.string(), notes_url: z.nullable(z.string()) })),
    "A newer release, if one was found, and where its notes are.",
  ),
  installed_as: described(
    z.enum(["clone", "package", "npx", "image"]),
    "How this server was installed, which says how it is updated.",
  ),
});
export type Updates = z.infer<typeof updates>;

const common = { caller: "account", permission: "server.inspect" } as const;

export const healthEndpoints = endpoints(common, {
  "health.report": {
    request: "GET /v1/admin/health",
    summary: "Get versions, sizes and free space",
    description: "Of the process that answers, its database and its disk.",
    response: health,
  },
  "health.check": {
    request: "POST /v1/admin/health/check",
    audit: { none: "no-change" },
    summary: "Check the installation",
    description:
      "What the command `doctor` checks, without changing anything. On a large server it takes minutes: while it runs, the response is null after 20 seconds, and repeating the request waits for the same check.",
    requestsPerMinute: limits.healthChecksPerMinute,
    response: z.object({ result: z.nullable(healthCheck) }),
    errors: ["check-failed", "rate-limited"],
  },
  "health.updates": {
    request: "GET /v1/admin/updates",
    summary: "Get what is known about newer releases",
    description: "Asks nobody.",
    response: updates,
  },
  "health.lookForUpdates": {
    request: "PUT /v1/admin/updates",
    audit: "update-check-changed",
    summary: "Set whether the server looks for newer releases",
    description:
      "It is off until somebody switches it on. Then the server asks `source` once a day, with a request that says nothing about it or its people. The first time it is asked before this responds, if it was not asked within a day.",
    body: z.object({ is_on: z.boolean() }),
    response: updates,
    example: { body: { is_on: false } },
  },
});
