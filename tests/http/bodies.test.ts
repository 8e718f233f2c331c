import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { errors, type ErrorBody } from "#contract/errors.ts";
import { belongingsOf, scenarios, type Belongings, type Scenario } from "../endpoints/scenarios.ts";
import { nested } from "../support/hostile-contents.ts";
import { expectProblem } from "../support/problem.ts";
import { rawRequest } from "../support/raw-request.ts";
import { describeServer } from "../support/server.ts";
import { pathOf, type Visitor } from "../support/visitor.ts";
import { fieldsOf } from "./field-mistakes.ts";

const endpoints: [EndpointName, Endpoint][] = Object.entries(api) as never;
const withBody = endpoints
  .filter(([, { body, bodyFormat }]) => body !== undefined && bodyFormat !== "bytes")
  .map(([name]) => name);
// The query of an address that is given as a whole is nobody's to fill in.
const withQuery = endpoints
  .filter(([, { query, caller }]) => query !== undefined && caller !== "link")
  .map(([name]) => name);
const names = [
  "after",
  "external_id",
  "name",
  "thread_id",
  "run_id",
  "model_id",
  "provider",
  "created_by",
  "environment",
  "release",
  "tag",
];
const MiB = 1024 * 1024;

describeServer("a request that is not in the expected form", { model: true, on: ["sqlite"] }, (server) => {
  let ada: Visitor;
  let admin: Visitor;
  let mine: Belongings;
  /** Our own page's headers: without them the session calls answer nothing else. */
  const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };
  beforeAll(async () => {
    ada = server().inNewWorkspace();
    admin = await server().owner();
    mine = await belongingsOf(ada);
  });

  const requestOf = (name: EndpointName) => (scenarios[name] as Scenario<EndpointName>).request(mine, ada);
  /** What a query cannot do without. */
  const needed = (name: EndpointName) => (name === "search.find" ? "q=word&" : "");
  const send = async (name: EndpointName, body: string | Uint8Array) =>
    await (api[name].caller === "admin" ? admin : ada).send(api[name].method, pathOf(name, requestOf(name)), {
      headers: ownPage,
      body: body as string,
    });
  const sendJson = async (name: EndpointName, body: unknown) => await send(name, JSON.stringify(body));

  describe.for(withBody)("%s", (name) => {
    test("names each field that is of another type, and where it is", async () => {
      const base = requestOf(name).body as object;
      for (const { path, wrong } of fieldsOf((api[name] as Endpoint).body!)) {
        // What a tool gave is any JSON at all.
        if (name === "runs.giveResult" && path.join(".") === "result") continue;
        for (const value of wrong) {
          const answer = await sendJson(name, withField(base, path, value));
          const said = `${path.join(".")} = ${JSON.stringify(value)}: ${answer.text}`;
          expect(answer.status, said).toBe(400);
          expectProblem(answer, "bad-request");
          const paths = (answer.body as ErrorBody).details?.map((detail) => detail.path) ?? [];
          const expected = ["body", ...path].join(".");
          // Of two fields that exclude each other the first is named.
          expect(
            paths.some((found) => expected.startsWith(found) || found.startsWith(expected)) ||
              name === "runs.start",
            said,
          ).toBe(true);
        }
      }
    });

    test("names each field that is missing", async () => {
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

    test("reads past fields that are newer than we are", async () => {
      // Whoever succeeds before may have changed what is there.
      if (scenarios[name].changes === true) mine = await belongingsOf(ada);
      const answer = await sendJson(name, {
        ...(requestOf(name).body as object),
        some_day: { a: [1] },
        ["__proto__x"]: 1,
      });
      expect(answer.status, answer.text).not.toBe(400);
    });

    test.for([
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
    ])("refuses %j", async (body) => {
      expectProblem(await send(name, body), "bad-json");
    });

    test.for(["[]", "[{}]", "1", '"text"', "true", "false"])("wants an object, not %s", async (body) => {
      const answer = await send(name, body);
      expectProblem(answer, "bad-request");
      expect((answer.body as ErrorBody).details).toEqual([
        { path: "body", message: "must be a JSON object" },
      ]);
    });

    test("refuses bytes that are no UTF-8", async () => {
      const broken = [
        [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
        [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
        [0x22, 0xed, 0xa0, 0x80, 0x22],
        [0x80],
      ];
      for (const bytes of broken) expectProblem(await send(name, Uint8Array.from(bytes)), "bad-json");
    });

    test("refuses what nests beyond 500 levels, were it a hundred thousand", async () => {
      expectProblem(await send(name, JSON.stringify({ a: nested(501) })), "bad-request");
      for (const body of [`{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`, "[".repeat(1_000_000)])
        expectProblem(await send(name, body), "bad-request", "bad-json", "too-large");
    });
  });

  test("is told which fields are wrong, all at once, with what would be right", async () => {
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

  test("is told of no more wrong fields than a person can read", async () => {
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

  test("takes instants as people write them, and refuses what is none", async () => {
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
      expectProblem(await ada.ask("threads.create", { body: { last_message_at } }), "bad-request");
    }
  });

  test("takes any metadata that is an object, up to 16 KiB", async () => {
    const body = (metadata: unknown) => ({ last_message_at: new Date().toISOString(), metadata }) as never;
    expect((await ada.ask("threads.create", { body: body({ text: "x".repeat(16_000) }) })).status).toBe(201);
    expectProblem(
      await ada.ask("threads.create", { body: body({ text: "x".repeat(17_000) }) }),
      "bad-request",
    );
    expectProblem(
      await ada.ask("threads.create", { body: body({ text: "é".repeat(17_000) }) }),
      "bad-request",
    );
  });

  describe.for(withQuery)("in the query of %s", (name) => {
    test("names each field that cannot be read", async () => {
      const path = pathOf(name, { params: requestOf(name).params ?? {} });
      for (const {
        path: [key],
      } of fieldsOf((api[name] as Endpoint).query!)) {
        // Whatever is searched for is something to look for.
        if (key === "runs" || key === "format" || key === "q") continue;
        // Undecodable text may stand for any name, and a filter for what is nobody's finds nothing.
        const values = ["%00", "x".repeat(300), ...(names.includes(key!) ? [] : ["%ED%A0%80"])];
        for (const value of values) {
          const body = requestOf(name).body;
          const answer = await ada.send(api[name].method, `${path}?${needed(name)}${key}=${value}`, {
            headers: { "Content-Type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          // An id that is nobody's is no cursor.
          expectProblem(answer, "bad-request", "bad-cursor", "message-not-found");
        }
      }
    });

    test("reads past what it does not know, and broken encodings", async () => {
      // Reads only: a second deletion finds nothing.
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
        expect((await ada.send("GET", `${path}?${needed(name)}${query}`)).status, query).toBe(200);
      }
    });
  });

  test("knows whole numbers within their bounds, and true and false", async () => {
    for (const limit of ["0", "101", "-1", "1.5", "1e1", "0x10", " 1", "", "ten", "٣", "9".repeat(40)]) {
      expectProblem(await ada.ask("threads.list", { query: { limit } }), "bad-request");
    }
    for (const limit of ["1", "100", "007"])
      expect((await ada.ask("threads.list", { query: { limit } })).status).toBe(200);
    for (const is_archived of ["", "1", "TRUE", "yes", "null"])
      expectProblem(await ada.ask("threads.list", { query: { is_archived } }), "bad-request");
  });

  describe("with an empty body under a JSON content type", () => {
    test("is fine where none is wanted", async () => {
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

    test("says which fields are missing where one is", async () => {
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

  test("is read as JSON whatever content type it names", async () => {
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
    ] as const)("is told so by an answer that arrives: %s", async ([, mebibytes, declared]) => {
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

    test("is told so also where it reads nothing before it has sent everything, on a connection that is to close", async () => {
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

    test("arrives also by the browser's own fetch, with its CORS headers", async () => {
      const body = JSON.stringify({ last_message_at: "x".repeat(20 * MiB) });
      const answer = await ada.send("POST", "/v1/threads", {
        body,
        headers: { "Content-Type": "application/json", Origin: "http://localhost:5173" },
      });
      expectProblem(answer, "too-large");
      expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    });

    test("is told by a lie: less comes than was declared", async () => {
      const answer = rawRequest(server().url, {
        method: "POST",
        path: "/v1/threads",
        headers: { ...headers(), "Content-Length": String(20 * MiB) },
        body: large(MiB),
      });
      expectProblem(await answer, "too-large");
    });

    test("is refused before it is read where nobody is known", async () => {
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

    test("is read past where no body is wanted", async () => {
      const answer = await rawRequest(server().url, {
        method: "DELETE",
        path: "/v1/threads/thread_0nobody",
        headers: headers(),
        body: large(20 * MiB),
      });
      expectProblem(answer, "thread-not-found");
    });

    test("leaves the server as it was", async () => {
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
