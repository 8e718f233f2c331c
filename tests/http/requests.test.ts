import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { api } from "#contract/api.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describeServer(
  "a request to a server that listens on the network",
  { on: ["sqlite"], settings: { HOST: "0.0.0.0" } },
  (server) => {
    test.for([
      ["192.168.1.7:3000", 200],
      ["server.lan", 200],
      ["chat.example.com", 403],
    ] as const)("with the Host %s is answered with %i", async ([host, status]) => {
      const answer = await rawRequest(server().url, {
        method: "POST",
        path: "/v1/auth/tokens/anonymous",
        headers: { Host: host },
      });
      expect(answer.status).toBe(status);
      expect(answer.text.includes("PUBLIC_URL")).toBe(status === 403);
    });
  },
);

describeServer("a request", { on: ["sqlite"] }, (server) => {
  let ada: Visitor;
  beforeAll(() => {
    ada = server().inNewWorkspace();
  });

  /** The answer to these bytes, until the server closes the connection. */
  async function bytes(text: string): Promise<string> {
    const socket = connect(server().port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk) => (answer += chunk));
    socket.on("error", () => {});
    socket.end(text);
    await once(socket, "close");
    return answer;
  }

  test("with another method is answered with the allowed methods", async () => {
    for (const [method, path, allow] of [
      ["PATCH", "/v1/threads", "GET, POST"],
      ["DELETE", "/v1/threads", "GET, POST"],
      ["GET", "/v1/auth/tokens", "POST"],
      ["POST", "/v1/models", "GET"],
      ["PURGE", "/v1/threads/thread_0x", "GET, PUT, DELETE"],
    ] as const) {
      const answer = await ada.send(method, path);
      expectProblem(answer, "method-not-allowed");
      expect(answer.headers.get("allow")).toBe(allow);
    }
  });

  test("for an unknown path of the API gets an error, and never the web page", async () => {
    for (const path of [
      "/v1",
      "/v1/",
      "/v1/nothing",
      "/v1/threads/",
      "/v1/threads/a/b/c",
      "/v1//threads",
      "/v1/threads%2Fx",
      "/v1/auth",
      "/v1/.env",
      "/v1/%00",
      "/v1/projects",
    ]) {
      expectProblem(await rawRequest(server().url, { path, headers: ada.headers }), "not-found");
    }
  });

  test("for another path gets the web page, or 404", async () => {
    for (const path of [
      "/",
      "/t/thread_0x",
      "/search?q=1",
      "/V1/threads",
      "/%zz",
      "/..%2f..%2fetc/passwd",
      "//evil.example/",
    ]) {
      const answer = await rawRequest(server().url, { path });
      expect([200, 404], `${path} ${answer.status}`).toContain(answer.status);
      expect(answer.text).not.toMatch(/root:/);
    }
    for (const path of [
      "/secret",
      "/parlance.db",
      "/../parlance.db",
      "/..%2fparlance.db",
      "/assets/..%2f..%2fparlance.db",
      "/.env",
      "/nothing.js",
      "/..%5cparlance.db",
    ]) {
      const answer = await rawRequest(server().url, { path });
      expect(answer.text).not.toContain("SQLite format");
      if (path.endsWith(".db") || path.endsWith(".js")) expect(answer.status, path).toBe(404);
    }
    expect((await ada.send("POST", "/")).status).toBe(405);
  });

  test("for the page gets a policy that forbids other origins", async () => {
    const { headers } = await server().guest.send("GET", "/");
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("for the built page allows the script and the styles that it contains", async () => {
    const folder = join(server().place.dataDir, "dist", "web");
    const page = join(folder, "index.html");
    const before = await readFile(page, "utf8");
    await writeFile(page, "<script data-x='1'>if (1<2) f()</script><style>a{}</style>");
    const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");
    for (const [method, path] of [
      ["GET", "/"],
      ["HEAD", "/"],
      ["GET", "/index.html"],
    ] as const) {
      const { headers } = await server().guest.send(method, path);
      const policy = headers.get("content-security-policy");
      expect(policy).toContain(`script-src 'self' 'sha256-${hashOf("if (1<2) f()")}';`);
      expect(policy).toContain(`style-src 'self' 'sha256-${hashOf("a{}")}';`);
      expect(policy).not.toMatch(/unsafe/);
    }
    await writeFile(page, before);
  });

  test("for its health is answered without a credential", async () => {
    const answer = await server().guest.send("GET", "/healthz");
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
  });

  test("with HEAD is answered as with GET, without a body", async () => {
    const answer = await ada.send("HEAD", "/v1/threads");
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect((await server().guest.send("HEAD", "/v1/threads")).status).toBe(401);
  });

  test("with HEAD opens no stream, and the connection can be used again", async () => {
    const headers = Object.entries({ ...ada.headers, Host: "localhost" })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const answer = await bytes(
      `HEAD /v1/live HTTP/1.1\r\n${headers}\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*text\/event-stream[^]*HTTP\/1\.1 200 OK[^]*\{"ok":true\}$/);
  });

  test("has an id, the same in the header, the error and the log", async () => {
    const answer = await ada.send("GET", "/v1/threads/thread_0nobody");
    const id = answer.headers.get("x-request-id");
    expect(
      server()
        .log.lines()
        .find(({ requestId }) => requestId === id),
    ).toMatchObject({ code: "thread-not-found", method: "GET" });
    const success = await ada.send("GET", "/v1/threads");
    expect(success.headers.get("x-request-id")).toMatch(/^req_0/);
    expect(success.headers.get("x-request-id")).not.toBe(id);
  });

  describe("with unusual headers", () => {
    test("is accepted with hundreds of them and refused with ten thousand", async () => {
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, "1"]));
      expect(
        (await rawRequest(server().url, { path: "/v1/threads", headers: { ...ada.headers, ...many(500) } }))
          .status,
      ).toBe(200);
      expect(
        (
          await rawRequest(server().url, {
            path: "/v1/threads",
            headers: { ...ada.headers, ...many(10_000) },
          })
        ).status,
      ).toBe(431);
      expect(
        (
          await rawRequest(server().url, {
            path: "/v1/threads",
            headers: { ...ada.headers, long: "x".repeat(100_000) },
          })
        ).status,
      ).toBe(431);
      expect(
        (
          await rawRequest(server().url, {
            path: `/v1/threads?after=${"x".repeat(100_000)}`,
            headers: ada.headers,
          })
        ).status,
      ).toBe(431);
      expect((await ada.ask("threads.list")).status).toBe(200);
    });

    test("is refused if a header that identifies the caller is sent twice", async () => {
      const { Authorization, ...rest } = ada.headers;
      const twice = await rawRequest(server().url, {
        path: "/v1/threads",
        headers: { ...rest, Authorization: [Authorization!, "Bearer other"] },
      });
      expectProblem(twice, "unsupported-scheme");
      const named = await rawRequest(server().url, {
        path: "/v1/threads",
        headers: { ...ada.headers, "Aui-Workspace-Id": ["one", "two"] },
      });
      expectProblem(named, "invalid-workspace-header");
    });

    test("can name a workspace in another alphabet", async () => {
      const name = Buffer.from("räksmörgås").toString("latin1");
      const answer = await rawRequest(server().url, {
        path: "/v1/threads",
        headers: { ...ada.headers, "Aui-Workspace-Id": name },
      });
      expect([answer.status, answer.text]).toEqual([200, '{"threads":[]}']);
    });
  });

  describe("with an unusual Host", () => {
    test.for(["evil.example", "a".repeat(500), "xn--e1afmkfd.example", "localhost.evil.example"])(
      "is refused unless the server knows it: %s",
      async (host) => {
        for (const path of ["/v1/threads", "/v1/auth/tokens/anonymous", "/", "/docs"]) {
          const answer = await rawRequest(server().url, {
            path,
            headers: { ...ada.headers, Host: host, Origin: `http://${host}` },
          });
          expect([answer.status, JSON.parse(answer.text)]).toMatchObject([403, { code: "host-not-allowed" }]);
          expect(answer.text).toContain("PUBLIC_URL");
        }
        expect((await rawRequest(server().url, { path: "/healthz", headers: { Host: host } })).status).toBe(
          200,
        );
      },
    );

    test.for(["localhost", "127.0.0.1:1", "[::1]"])("is answered as usual: %s", async (host) => {
      const answer = await rawRequest(server().url, {
        path: "/v1/threads",
        headers: { ...ada.headers, Host: host },
      });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer)).not.toContain("evil.example");
    });

    test.for(["", "a b", "a/b", "a?b", "a#b", "a@b", "host:99999", "[::1", "<script>", "\u00e9"])(
      "is at most a bad request: %j",
      async (host) => {
        const answer = await bytes(`GET /v1/threads HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
        expect(answer).not.toMatch(/node_modules|at \S+ \(/);
      },
    );

    test("is handled without a Host, in HTTP/1.0, and with an absolute URL", async () => {
      expect(await bytes("GET /v1/threads HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400/);
      expect(await bytes("GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 (200|400)/);
      expect(
        await bytes(
          "GET http://evil.example/v1/threads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        ),
      ).toMatch(/^HTTP\/1\.1 401/);
      expect(await bytes("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).toMatch(
        /^HTTP\/1\.1 [245]0\d/,
      );
    });
  });

  test("that is not HTTP is refused", async () => {
    for (const text of [
      "nonsense\r\n\r\n",
      "GET\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
      "GET /v1/threads HTTP/9.9\r\nHost: localhost\r\n\r\n",
      "POST /v1/threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    ]) {
      expect(await bytes(text)).toMatch(/^(HTTP\/1\.1 4\d\d|$)/);
    }
    const smuggled =
      "POST /v1/threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    expect(await bytes(smuggled)).toMatch(/^HTTP\/1\.1 400/);
    expect((await ada.ask("threads.list")).status).toBe(200);
  });

  test("that ends in the middle of its body does not harm the server", async () => {
    for (let i = 0; i < 5; i++) {
      const socket = connect(server().port, "127.0.0.1");
      socket.on("error", () => {});
      const headers = Object.entries(ada.headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("");
      socket.write(
        `POST /v1/threads HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: 100\r\n\r\n{"last_`,
      );
      await once(socket, "ready").catch(() => {});
      socket.destroy();
    }
    expect((await ada.ask("threads.list")).status).toBe(200);
  });
});

describe("a page of another origin", () => {
  const preflight = (Origin: string, method = "GET", headers = "authorization,content-type,aui-sdk") => ({
    headers: { Origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers },
  });

  describeServer(
    "where every origin may call",
    { on: ["sqlite"], settings: { PUBLIC_URL: "http://chat.example" } },
    (server) => {
      test.for([...new Set(Object.values(api).map(({ path }) => path))])(
        "may ask before it calls %s",
        async (path) => {
          const answer = await server().guest.send(
            "OPTIONS",
            path.replaceAll(/\{\w+\}/g, "x"),
            preflight("https://shop.example"),
          );
          expect(answer.status).toBe(204);
          expect(answer.headers.get("access-control-allow-origin")).toBe("https://shop.example");
          expect(answer.headers.get("access-control-allow-methods")?.split(", ")).toEqual(
            expect.arrayContaining(["GET", "POST", "PUT", "DELETE"]),
          );
          const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
          expect(allowed).toEqual(
            expect.arrayContaining([
              "authorization",
              "content-type",
              "aui-sdk",
              "aui-user-id",
              "aui-workspace-id",
            ]),
          );
          // A cookie counts only with this header, which pages of other origins may not send.
          expect(allowed).not.toContain("parlance-client");
          expect(Number(answer.headers.get("access-control-max-age"))).toBeGreaterThan(0);
          expect(answer.headers.get("vary")).toMatch(/origin/i);
        },
      );

      test("may never send a cookie", async () => {
        for (const answer of [
          await server().guest.send("OPTIONS", "/v1/threads", preflight("https://a.example")),
          await server().guest.send("GET", "/v1/threads", { headers: { Origin: "https://a.example" } }),
        ]) {
          expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
          expect(answer.headers.get("access-control-allow-origin")).not.toBe("*");
        }
      });

      test("can read the status of every error, and how long to wait", async ({ ada }) => {
        const headers = { Origin: "https://shop.example", "Content-Type": "application/json" };
        const failures = [
          [404, await ada.send("GET", "/v1/threads/x", { headers })],
          [404, await ada.send("GET", "/v1/nothing", { headers })],
          [405, await ada.send("PATCH", "/v1/threads", { headers })],
          [400, await ada.send("POST", "/v1/threads", { headers, body: "{" })],
          [401, await server().guest.send("GET", "/v1/threads", { headers })],
          [
            403,
            await server().guest.send("GET", "/v1/threads", {
              headers: { ...headers, Authorization: "Bearer x" },
            }),
          ],
        ] as const;
        for (const [status, answer] of failures) {
          expect(answer.status).toBe(status);
          expect(answer.headers.get("access-control-allow-origin")).toBe("https://shop.example");
          expect(answer.headers.get("access-control-expose-headers")?.toLowerCase()).toMatch(
            /authorization.*retry-after.*x-vercel-ai-data-stream.*x-vercel-ai-ui-message-stream/,
          );
        }
      });

      test("without an Origin header gets no CORS headers", async () => {
        const answer = await server().guest.send("GET", "/v1/threads");
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      });
    },
  );

  describeServer(
    "with a list of allowed origins",
    { on: ["sqlite"], settings: { PARLANCE_ALLOWED_ORIGINS: "https://one.example, https://two.example" } },
    (server) => {
      test("may call if its origin is listed", async () => {
        for (const origin of ["https://one.example", "https://two.example"]) {
          const answer = await server().guest.send("OPTIONS", "/v1/threads", preflight(origin));
          expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        }
      });

      test.for([
        "https://one.example.evil.example",
        "http://one.example",
        "https://one.example:8443",
        "null",
        "https://ONE.example",
        "evil",
      ])("may not call as %s", async (origin) => {
        for (const answer of [
          await server().guest.send("OPTIONS", "/v1/threads", preflight(origin)),
          await server().guest.send("GET", "/v1/threads", { headers: { Origin: origin } }),
        ]) {
          expect(answer.headers.get("access-control-allow-origin")).toBeNull();
          expect(answer.headers.get("vary")).toMatch(/origin/i);
        }
      });
    },
  );
});
