import type { ErrorCode } from "../errors.ts";
import { chapters } from "./chapters.ts";
import type { Operation, ResponseObject } from "./openapi-types.ts";

/** The reference of the paths for monitoring, which are not in the contract because no client calls them. */
export function probePaths(
  errorResponse: (codes: ErrorCode[]) => ResponseObject,
): Record<string, { get: Operation }> {
  return {
    "/livez": {
      get: probe("livez", "Check whether the process answers", {
        description: "For a supervisor that restarts a hung process. Checks nothing else.",
        responses: { "200": json("The process answers.", ok) },
      }),
    },
    "/readyz": {
      get: probe("readyz", "Check whether the server accepts writes", {
        description:
          "For a load balancer. Checks the database, the free space of the data folder, the file store, and that the server is not shutting down. A result is used for one second.",
        responses: {
          "200": json("The server is ready.", readiness),
          "503": json("The server is not ready. The checks that are not `ok` say why.", readiness),
        },
      }),
    },
    "/healthz": {
      get: probe("healthz", "Check whether the service works", {
        description:
          "For monitoring. Queries the database, and checks that the database file and the file folder are still the ones that the server opened and are writable. Otherwise the details name what failed.",
        responses: {
          "200": json("The service works.", ok),
          "503": errorResponse(["maintenance", "storage-unavailable"]),
        },
      }),
    },
  };
}

const ok = { type: "object", properties: { ok: { const: true } }, required: ["ok"] };

const readiness = {
  type: "object",
  properties: {
    ready: { type: "boolean" },
    checks: {
      type: "object",
      description:
        "`server`, `database`, `disk` and `files`, each `ok` or the problem: `missing`, `replaced`, `read-only`, `full`, `unreachable`, `timeout` or `draining`. `disk` is absent if the server stores nothing in its data folder.",
      additionalProperties: { type: "string" },
    },
  },
  required: ["ready", "checks"],
};

function probe(
  name: string,
  summary: string,
  { description, responses }: { description: string; responses: Record<string, ResponseObject> },
): Operation {
  return {
    operationId: name,
    tags: [chapters.server.title],
    summary,
    description,
    security: [],
    responses,
    "x-codeSamples": [{ lang: "Shell", source: `curl "$PARLANCE/${name}"` }],
  };
}

function json(description: string, schema: Record<string, unknown>): ResponseObject {
  return { description, content: { "application/json": { schema } } };
}
