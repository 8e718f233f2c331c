import * as fc from "fast-check";
import { expect } from "vitest";
import { api } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { newId } from "#contract/ids.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { describeServer, test } from "../support/servers/server.ts";

const endpoints: Endpoint[] = Object.values(api);

/** Any valid HTTP request. */
const anyRequest = fc.record({
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE") },
    fc.constantFrom("PATCH", "OPTIONS", "HEAD", "PROPFIND"),
  ),
  path: fc
    .tuple(fc.constantFrom(...endpoints.map(({ path }) => path)), fc.infiniteStream(anySegment()))
    .map(([path, segments]) => path.replaceAll(/\{\w+\}/g, () => segments.next().value)),
  query: fc.oneof(
    fc.constant(""),
    fc
      .dictionary(
        fc.constantFrom("limit", "after", "is_archived", "head", "before", "runs", "format", "x"),
        fc.string(),
        { maxKeys: 3 },
      )
      .map((query) => `?${new URLSearchParams(query).toString()}`),
  ),
  body: fc.oneof(
    fc.constant(undefined),
    fc.string(),
    fc.json(),
    anyFields(),
    fc.uint8Array({ maxLength: 60 }),
  ),
  signedIn: fc.boolean(),
});

function anySegment(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(newId("thread"), newId("message"), newId("run"), "", "..", "%00", "%2F", "%zz"),
    fc.string().map(encodeURIComponent.bind(undefined)),
    fc.webSegment(),
  );
}

/** An object with fields of the endpoints, of any type. */
function anyFields(): fc.Arbitrary<string> {
  const names = [
    "title",
    "last_message_at",
    "metadata",
    "content",
    "parent_id",
    "format",
    "message",
    "messages",
    "id",
    "thread_id",
    "assistant_id",
    "tools",
    "message_id",
    "refresh_token",
    "owner_secret",
  ];
  return fc
    .dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 5 })
    .map((fields) => JSON.stringify(fields));
}

describeServer("any request", {}, (server) => {
  test("never causes a server error", async ({ ada }) => {
    const guest = { "X-Forwarded-For": "192.0.2.200", "Parlance-Client": "web" };
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ method, path, query, body, signedIn }) => {
        // A feed never ends, and has its own tests.
        fc.pre(!path.startsWith("/v1/live"));
        const answer = await rawRequest(server().url, {
          method,
          path: path + query,
          headers: { ...(signedIn ? ada.headers : guest), "Content-Type": "application/json" },
          ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body }),
        });
        // 501 means that the server does not support the method.
        const fault = answer.status === 501 ? 0 : answer.status;
        expect(fault, `${method} ${path}${query} ${String(body)}: ${answer.text}`).toBeLessThan(500);
        expect(answer.text).not.toMatch(/node_modules|\bat \S+ \(/);
      }),
      { numRuns: 300, interruptAfterTimeLimit: 8_000 },
    );
    expect((await server().guest.send("GET", "/healthz")).status).toBe(200);
  });
});
