import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { timestamp } from "./fields.ts";

const health = z
  .object({
    version: z.string().check(z.describe("The version of Parlance.")),
    node_version: z.string(),
    started_at: timestamp.check(z.describe("When this process started.")),
    memory_bytes: z.number().check(z.describe("The memory that this process uses.")),
    database: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      version: z.string(),
      size_bytes: z.number(),
    }),
    file_storage: z.enum(["disk", "s3"]),
    people: z.number().check(z.describe("People with an account.")),
    threads: z.number(),
    files: z.number().check(z.describe("Different contents of files.")),
    file_bytes: z.number(),
    disk: z
      .nullable(z.object({ free_bytes: z.number(), total_bytes: z.number() }))
      .check(z.describe("The disk of the data folder; null without a data folder.")),
  })
  .check(z.meta({ id: "Health", description: "The server, its database and its disk." }));
export type Health = z.infer<typeof health>;

const finding = z.object({
  check: z.string(),
  about: z.string(),
  count: z.number(),
  ids: z.array(z.string()).check(z.describe("The first rows or files that it is about.")),
  remedy: z.string(),
});

const healthCheck = z
  .object({
    checks: z.array(z.string()).check(z.describe("The names of the checks.")),
    faults: z.array(finding).check(z.describe("Problems that need a repair.")),
    notes: z.array(finding).check(z.describe("What the server repairs by itself, and advice.")),
    checked_at: timestamp,
    took_ms: z.number(),
  })
  .check(z.meta({ id: "HealthCheck", description: "What a check of the whole installation found." }));
export type HealthCheck = z.infer<typeof healthCheck>;

export const healthEndpoints = {
  "health.report": {
    method: "GET",
    path: "/v1/admin/health",
    caller: "account",
    permission: "server.inspect",
    summary: "Get versions, sizes and free space",
    description: "Of the process that answers, its database and its disk.",
    kind: "json",
    status: 200,
    response: health,
  },
  "health.check": {
    method: "POST",
    path: "/v1/admin/health/check",
    caller: "account",
    permission: "server.inspect",
    audit: { none: "no-change" },
    summary: "Check the installation",
    description:
      "What the command `doctor` checks, without changing anything. On a large server it takes minutes: while it runs, the response is null after 20 seconds, and repeating the request waits for the same check.",
    requestsPerMinute: limits.healthChecksPerMinute,
    kind: "json",
    status: 200,
    response: z.object({ result: z.nullable(healthCheck) }),
    errors: ["check-failed", "rate-limited"],
  },
} as const satisfies Endpoints;
