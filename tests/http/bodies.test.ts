import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { errors, type ErrorBody } from "#contract/errors.ts";
import * as endpoint from "../endpoints/ask-endpoint.ts";
import { ownedObjectsOf, type OwnedObjects } from "../endpoints/owned-objects.ts";
import { nested } from "../support/data/hostile-contents.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { describeServer } from "../support/servers/server.ts";
import { newAddress, pathOf, type Visitor } from "../support/clients/visitor.ts";
import { fieldsOf } from "./field-mistakes.ts";

const endpoints: [EndpointName, Endpoint][] = Object.entries(api) as never;
const withBody = endpoints
  .filter(([, { body, bodyFormat }]) => body !== undefined && bodyFormat !== "bytes")
  .map(([name]) => name);
// Endpoints whose whole URL is given have no query of their own.
const withQuery = endpoints
  .filter(([, { query, caller }]) => query !== undefined && caller !== "link")
  .map(([name]) => name);
const names = [
  "group",
  "after",
  "external_id",
  "name",
  "thread_id",
  "folder_id",
  "tag_id",
  "run_id",
  "stream_id",
  "model_id",
  "provider",
  "created_by",
  "environment",
  "release",
  "tag",
  "assistant_id",
  "time_zone",
  "model",
  "person",
  "search",
];
const notJson = [
  "{",
  '{"a":}',
  "nonsense",
  "'x'",
  '{"a":1}x',
  "{\u0000}",
  '{"a":1,}',
  "NaN",
  '"\\u12"',
  "\u0001",
  "<xml/>",
  "a=1&b=2",
];
const MiB = 1024 * 1024;

describeServer("an invalid request", { model: true, on: ["sqlite"] }, (server) => {
  let ada: Visitor;
  let admin: Visitor;
  let mine: OwnedObjects;
  /** The headers of our own page. The session endpoints refuse requests without them. */
  const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };
  beforeAll(async () => {
    ada = server().inNewWorkspace();
    admin = await server().owner();
    mine = await ownedObjectsOf(ada);
  });

  const requestOf = (name: EndpointName) => endpoint.requestOf(name, mine);
  /** Required query parameters. */
  const needed = (name: EndpointName) => {
    if (name === "threadMembers.find") return "search=word&";
    return name === "search.find" || name === "search.threads" ? "q=word&" : "";
  };
  const callerOf = (name: EndpointName) => (api[name].caller === "account" ? admin : ada);
  const send = async (name: EndpointName, body: string | Uint8Array) =>
    await callerOf(name).send(api[name].method, pathOf(name, requestOf(name)), {
      // Each from its own address: limits per address are lower than the number of mistakes.
      headers: { ...ownPage, ...newAddress() },
      body: body as string,
    });
  const sendJson = async (name: EndpointName, body: unknown) => await send(name, JSON.stringify(body));

  describe.for(withBody)("%s", (name) => {
    test("is answered with the path of each field of a wrong type", async () => {
      const base = requestOf(name).body as object;
      for (const { path, wrong } of fieldsOf((api[name] as Endpoint).body!)) {
        // The result of a tool is any JSON.
        if (name === "runs.giveResult" && path.join(".") === "result") continue;
        for (const value of wrong) {
          const answer = await sendJson(name, withField(base, path, value));
          const said = `${path.join(".")} = ${JSON.stringify(value)}: ${answer.text}`;
          expect(answer.status, said).toBe(400);
          expectProblem(answer, "bad-request");
          const paths = (answer.body as ErrorBody).details?.map((detail) => detail.path) ?? [];
          const expected = ["body", ...path].join(".");
          // Of two fields that exclude each other, the first is named.
          expect(
            paths.some((found) => expected.startsWith(found) || found.startsWith(expected)) ||
              name === "runs.start",
            said,
          ).toBe(true);
        }
      }
    });

    test("is answered with each missing field", async () => {
      const base = requestOf(name).body as object;
      for (const { path, required } of fieldsOf((api[name] as Endpoint).body!)) {
        if (!required || path.length > 1) continue;
        const answer = await sendJson(name, withField(base, path, undefined));
        expectProblem(answer, "bad-request");
        expect((answer.body as ErrorBody).details?.map((detail) => detail.path)).toContain(
          ["body", ...path].join("."),
        );
      }
    });

    test("may have unknown fields", async () => {
      // An earlier request that succeeded may have changed the data.
      if (endpoint.scenarioOf(name).changes === true) mine = await ownedObjectsOf(ada);
      const answer = await sendJson(name, {
        ...(requestOf(name).body as object),
        some_day: { a: [1] },
        ["__proto__x"]: 1,
      });
      const { code, details = [] } = (answer.body ?? {}) as Partial<ErrorBody>;
      // Others are about values that are valid by themselves.
      const paths = code === "bad-request" ? details.map(({ path }) => path) : [];
      expect(
        paths.filter((path) => path.startsWith("body")),
        answer.text,
      ).toEqual([]);
    });

    test("must be JSON, and an object", async () => {
      for (const body of notJson) expect(expectProblem(await send(name, body)), body).toBe("bad-json");
      for (const body of ["[]", "[{}]", "1", '"text"', "true", "false"]) {
        const answer = await send(name, body);
        expectProblem(answer, "bad-request");
        expect((answer.body as ErrorBody).details, body).toEqual([
          { path: "body", message: "must be a JSON object" },
        ]);
      }
    });

    test("must be UTF-8", async () => {
      const broken = [
        [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
        [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
        [0x22, 0xed, 0xa0, 0x80, 0x22],
        [0x80],
      ];
      for (const bytes of broken) expectProblem(await send(name, Uint8Array.from(bytes)), "bad-json");
    });

    test("may nest at most 500 levels", async () => {
      expectProblem(await send(name, JSON.stringify({ a: nested(501) })), "bad-request");
      const deep = `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
      expectProblem(await send(name, deep), "bad-request", "bad-json", "too-large");
    });
  });

  test("is answered although its body is a million levels deep", async () => {
    for (const name of ["threads.create", "messages.add", "runs.start"] as const)
      expectProblem(await send(name, "[".repeat(1_000_000)), "bad-request", "bad-json", "too-large");
  });

  test("is answered with all wrong fields and the accepted values", async () => {
    const answer = await ada.ask("threads.create", {
      body: { last_message_at: "yesterday", title: 7, metadata: "x", upsert: "no" } as never,
    });
    expectProblem(answer, "bad-request");
    expect((answer.body as unknown as ErrorBody).details).toEqual([
      {
        path: "body.last_message_at",
        message: "must be an ISO 8601 instant such as 2026-01-31T12:00:00.000Z",
      },
      { path: "body.title", message: "must be text" },
      { path: "body.metadata", message: "must be a JSON object" },
      { path: "body.upsert", message: "must be true or false" },
    ]);
  });

  test("is answered with a limited number of wrong fields", async () => {
    const answer = await ada.ask("runs.stream", {
      body: {
        thread_id: mine.thread_id,
        assistant_id: "default",
        messages: Array.from({ length: 1_000 }, () => 1) as never,
      },
    });
    expectProblem(answer, "bad-request");
    expect((answer.body as unknown as ErrorBody).details).toHaveLength(20);
  });

  test("may have a time in common notations, and nothing that is not a time", async () => {
    for (const last_message_at of [
      "2026-01-31",
      "2026-01-31T12:00:00Z",
      "2026-01-31T12:00:00+02:00",
      "Sat, 31 Jan 2026 12:00:00 GMT",
    ]) {
      expect((await ada.ask("threads.create", { body: { last_message_at } })).status, last_message_at).toBe(
        201,
      );
    }
    for (const last_message_at of [
      "",
      "x",
      "NaN",
      "2026-13-01",
      "999999-01-01",
      "+275760-09-14T00:00:00Z",
      "\u0000",
    ]) {
      await ada.fails("bad-request", "threads.create", { body: { last_message_at } });
    }
  });

  test("may have any object of at most 16 KiB as metadata", async () => {
    const body = (metadata: unknown) => ({ last_message_at: new Date().toISOString(), metadata }) as never;
    expect((await ada.ask("threads.create", { body: body({ text: "x".repeat(16_000) }) })).status).toBe(201);
    await ada.fails("bad-request", "threads.create", { body: body({ text: "x".repeat(17_000) }) });
    await ada.fails("bad-request", "threads.create", { body: body({ text: "é".repeat(17_000) }) });
  });

  describe.for(withQuery)("in the query of %s", (name) => {
    test("is answered with each invalid parameter", async () => {
      const path = pathOf(name, { params: requestOf(name).params ?? {} });
      for (const {
        path: [key],
      } of fieldsOf((api[name] as Endpoint).query!)) {
        // Any text is a valid search.
        if (key === "runs" || key === "format" || key === "q") continue;
        // Undecodable text can be a name, and a filter without matches finds nothing.
        const values = ["%00", "x".repeat(300), ...(names.includes(key!) ? [] : ["%ED%A0%80"])];
        for (const value of values) {
          const body = requestOf(name).body;
          const answer = await callerOf(name).send(
            api[name].method,
            `${path}?${needed(name).startsWith(`${key}=`) ? "" : needed(name)}${key}=${value}`,
            {
              headers: { "Content-Type": "application/json" },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            },
          );
          // An unknown id is not a cursor, and the app of the console's requests does not exist.
          expectProblem(answer, "bad-request", "bad-cursor", "message-not-found", "app-not-found");
        }
      }
    });

    test("may have unknown parameters and broken encodings", async () => {
      // Only GET requests, because a second deletion finds nothing.
      if (api[name].kind === "events" || api[name].method !== "GET") return;
      const path = pathOf(name, { params: requestOf(name).params ?? {} });
      for (const query of [
        "some_day=1",
        "%zz=%zz",
        "=",
        "&&&",
        "a[b]=c",
        "__proto__=1",
        "constructor=1",
        "a=1&a=2",
      ]) {
        const answer = await callerOf(name).send("GET", `${path}?${needed(name)}${query}`);
        // The group or the app of the request does not exist.
        const isMissing = name === "groups.members" || /^(console|webhooks)\./.test(name);
        expect(answer.status, query).toBe(isMissing && name !== "console.apps" ? 404 : 200);
      }
    });
  });

  test("must have whole numbers within their limits, and true or false", async () => {
    for (const limit of ["0", "101", "-1", "1.5", "1e1", "0x10", " 1", "", "ten", "٣", "9".repeat(40)]) {
      await ada.fails("bad-request", "threads.list", { query: { limit } });
    }
    for (const limit of ["1", "100", "007"])
      expect((await ada.ask("threads.list", { query: { limit } })).status).toBe(200);
    for (const is_archived of ["", "1", "TRUE", "yes", "null"])
      await ada.fails("bad-request", "threads.list", { query: { is_archived } });
  });

  describe("with an empty body under a JSON content type", () => {
    test("is accepted if the endpoint has no body", async () => {
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date().toISOString() },
      });
      const headers = { "Content-Type": "application/json" };
      for (const [method, path] of [
        ["GET", "/v1/threads"],
        ["POST", "/v1/auth/tokens"],
        ["POST", "/v1/auth/tokens/anonymous"],
        ["DELETE", `/v1/threads/${thread_id}`],
        ["POST", `/v1/threads/${thread_id}/restore`],
      ] as const) {
        for (const body of method === "GET" ? [undefined] : ["", " ", undefined]) {
          const answer = await ada.send(method, path, { headers, ...(body === undefined ? {} : { body }) });
          expect([200, 404], `${method} ${path}: ${answer.text}`).toContain(answer.status);
          if (answer.status === 404) expectProblem(answer, "thread-not-found");
        }
      }
    });

    test("is answered with the missing fields if the endpoint has a body", async () => {
      for (const body of ["", "  \n", "null", undefined]) {
        const answer = await ada.send("POST", "/v1/threads", {
          headers: { "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body }),
        });
        expectProblem(answer, "bad-request");
        expect((answer.body as ErrorBody).details).toContainEqual({
          path: "body.last_message_at",
          message: "must be text",
        });
      }
    });
  });

  test("is read as JSON with any content type", async () => {
    const body = JSON.stringify({ last_message_at: new Date().toISOString() });
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "x",
      undefined,
    ]) {
      const answer = await ada.send("POST", "/v1/threads", {
        body,
        headers: type === undefined ? {} : { "Content-Type": type },
      });
      expect(answer.status, type).toBe(201);
    }
  });

  describe("that is too large", () => {
    const large = (sizeBytes: number) => {
      const chunk = Buffer.alloc(MiB, "x");
      return Readable.from(
        (function* () {
          yield Buffer.from('{"last_message_at":"');
          for (let sent = 0; sent < sizeBytes; sent += chunk.length) yield chunk;
          yield Buffer.from('"}');
        })(),
      );
    };
    const headers = () => ({ ...ada.headers, "Content-Type": "application/json" });

    test.for([
      ["17 MiB that it declares", 17, true],
      ["17 MiB that come in pieces", 17, false],
      ["40 MiB that it declares", 40, true],
      ["40 MiB that come in pieces", 40, false],
    ] as const)("is refused, and the client receives the answer: %s", async ([, mebibytes, declared]) => {
      for (const Connection of ["keep-alive", "close"]) {
        const more: Record<string, string> = {
          Connection,
          ...(declared ? { "Content-Length": String(mebibytes * MiB + 22) } : {}),
        };
        const answer = await rawRequest(server().url, {
          method: "POST",
          path: "/v1/threads",
          headers: { ...headers(), ...more },
          body: large(mebibytes * MiB),
        });
        expectProblem(answer, "too-large");
      }
    });

    test("is refused, even if the client sends everything before it reads, on a connection that closes", async () => {
      const socket = connect(server().port, "127.0.0.1").pause();
      const headers = Object.entries({
        ...ada.headers,
        Host: "localhost",
        Connection: "close",
        "Content-Length": String(20 * MiB),
      });
      socket.write(
        `POST /v1/threads HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
      );
      for (let sent = 0; sent < 20; sent++)
        if (!socket.write(Buffer.alloc(MiB, "x"))) await once(socket, "drain");
      let answer = "";
      socket.on("data", (chunk) => (answer += String(chunk))).resume();
      await once(socket, "close");
      expect(answer).toMatch(/^HTTP\/1\.1 413 .*"code":"too-large"/s);
    });

    test("is refused with CORS headers that a browser's fetch accepts", async () => {
      const body = JSON.stringify({ last_message_at: "x".repeat(20 * MiB) });
      const answer = await ada.send("POST", "/v1/threads", {
        body,
        headers: { "Content-Type": "application/json", Origin: "http://localhost:5173" },
      });
      expectProblem(answer, "too-large");
      expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    });

    test("is refused by its declared size, although less is sent", async () => {
      const answer = rawRequest(server().url, {
        method: "POST",
        path: "/v1/threads",
        headers: { ...headers(), "Content-Length": String(20 * MiB) },
        body: large(MiB),
      });
      expectProblem(await answer, "too-large");
    });

    test("is refused before it is read if the caller is not signed in", async () => {
      for (const Connection of ["keep-alive", "close"]) {
        const answer = await rawRequest(server().url, {
          method: "POST",
          path: "/v1/threads",
          headers: { "Content-Type": "application/json", Connection },
          body: large(20 * MiB),
        });
        expectProblem(answer, "not-signed-in");
      }
    });

    test("is ignored if the endpoint has no body", async () => {
      const answer = await rawRequest(server().url, {
        method: "DELETE",
        path: "/v1/threads/thread_0nobody",
        headers: headers(),
        body: large(20 * MiB),
      });
      expectProblem(answer, "thread-not-found");
    });

    test("is not read to its end after the answer: the connection is closed after 64 MiB", async () => {
      const socket = connect(server().port, "127.0.0.1").on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.write(`POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${1024 * MiB}\r\n\r\n`);
      let sent = 0;
      for (; sent < 256 && !socket.destroyed; sent++)
        if (!socket.write(Buffer.alloc(MiB, "x")))
          await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      socket.destroy();
      expect(sent).toBeGreaterThanOrEqual(64);
      // Some are still in the buffers of the system.
      expect(sent).toBeLessThan(96);
    });

    test("does not harm the server", async () => {
      expect((await ada.ask("threads.list")).status).toBe(200);
      expect(errors["too-large"].status).toBe(413);
    });
  });
});

function withField(base: object, path: string[], value: unknown): object {
  const [key, ...rest] = path as [string, ...string[]];
  const inner = (base as Record<string, unknown>)[key];
  return { ...base, [key]: rest.length === 0 ? value : withField(inner ?? {}, rest, value) };
}
