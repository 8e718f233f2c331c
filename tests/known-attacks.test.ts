import { createServer } from "node:http";
import { decodeJwt, SignJWT } from "jose";
import { describe, expect } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { deriveSecret } from "#server/sign-in/secrets.ts";
import { expectProblem } from "./support/clients/problem.ts";
import { describeServer, test } from "./support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  textOf,
  waitForFirstWord,
  readWholeLog,
} from "./support/clients/conversation.ts";
import { bearer, visitor } from "./support/clients/visitor.ts";

/** Vulnerabilities of other chat assistants, each with the number under which it was published. */

describeServer("a known attack", { model: true }, (server) => {
  describe("access by another person's id", () => {
    test("CVE-2025-63681, CVE-2026-45399: answers in progress of others are not listed", async () => {
      const ada = server().inNewWorkspace();
      const eve = await server().anonymous("eve");
      const talk = await startRun(ada, "A secret\nendless gap=5");
      const { stream } = await waitForFirstWord(ada, talk.run_id);
      for (const path of ["/v1/runs", "/v1/tasks", "/v1/projects/runs", `/v1/projects/runs/${talk.run_id}`]) {
        const { status, text } = await eve.send("GET", path);
        expect(status, path).toBeGreaterThanOrEqual(400);
        expect(text, path).not.toContain(talk.run_id);
      }
      const lists = [
        await eve.ask("threads.list"),
        await eve.ask("search.find", { query: { q: "secret" } }),
        await eve.ask("exports.everything"),
      ];
      for (const { text } of lists) expect(text).not.toMatch(new RegExp(`secret|${talk.thread_id}`));
      stream.close();
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
    });

    test("CVE-2026-42276, CVE-2026-45399: another person's answer cannot be stopped", async () => {
      const ada = server().inNewWorkspace();
      const eve = await server().anonymous("eve");
      const talk = await startRun(ada, "tokens=30 gap=5");
      await waitForFirstWord(ada, talk.run_id);
      await eve.fails("run-not-found", "runs.stop", { params: { run_id: talk.run_id } });
      expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
    });

    test("CVE-2026-45349: another person's thread cannot be continued, and no model is called", async () => {
      const ada = server().inNewWorkspace();
      const eve = await server().anonymous("eve");
      const { thread_id, message_id, reply_id } = await sendAndWait(ada, "A secret tokens=2");
      const words = `Eve's words ${crypto.randomUUID()}`;
      const content = userMessage(words);
      const messages = [content];
      const refused = [
        await eve.ask("runs.start", {
          params: { thread_id },
          body: { message: { parent_id: null, content } },
        }),
        await eve.ask("runs.start", {
          params: { thread_id },
          body: { message: { parent_id: reply_id, content } },
        }),
        await eve.ask("runs.start", { params: { thread_id }, body: { parent_id: message_id } }),
        await eve.ask("runs.stream", { body: { thread_id, assistant_id: "system/thread_title", messages } }),
        await eve.ask("runs.stream", { body: { thread_id, assistant_id: "default", messages } }),
      ];
      for (const answer of refused) expectProblem(answer, "thread-not-found");
      await sendAndWait(eve, "Something else tokens=1");
      expect(JSON.stringify(server().model.requests.map(({ body }) => body ?? null))).not.toContain(words);
      expect(await branchOf(ada, thread_id)).toHaveLength(2);
    });

    test("CVE-2026-58580: a message is not found through another thread", async ({ ada, eve }) => {
      const theirs = await sendAndWait(ada, "A secret tokens=2");
      const own = await sendAndWait(eve, "Mine tokens=2");
      const params = { thread_id: own.thread_id };
      const refused = [
        await eve.ask("messages.update", {
          params: { ...params, message_id: theirs.message_id },
          body: { content: {} },
        }),
        await eve.ask("messages.setHead", { params, body: { message_id: theirs.message_id } }),
        await eve.ask("messages.branch", { params, query: { head: theirs.message_id } }),
        await eve.ask("messages.branch", { params, query: { before: theirs.reply_id } }),
        await eve.ask("messages.branch", { params, query: { last: theirs.reply_id } }),
        await eve.ask("messages.add", {
          params,
          body: { parent_id: theirs.message_id, format: "aui/v0", content: {} },
        }),
        await eve.ask("runs.start", { params, body: { parent_id: theirs.message_id } }),
      ];
      for (const answer of refused) {
        expectProblem(answer, "message-not-found", "parent-not-in-thread");
        expect(answer.text).not.toContain("secret");
      }
      expect(textOf((await branchOf(ada, theirs.thread_id))[0]!.content.content as never)).toBe(
        "A secret tokens=2",
      );
    });
  });

  describe("writing with read access", () => {
    test("CVE-2026-45386, CVE-2026-45316, CVE-2026-44571: a key that reads all threads cannot change them", async () => {
      const ada = server().inNewWorkspace();
      const { thread_id, message_id } = await sendAndWait(ada, "A secret tokens=2");
      const backend = visitor(server().url, "a backend", bearer(apiKey));
      expect((await backend.ask("apps.messages", { params: { thread_id } })).text).toContain("secret");
      const params = { thread_id };
      const body = { content: userMessage("Changed") };
      const refused = [
        await backend.ask("threads.update", { params, body: { title: "Changed" } }),
        await backend.ask("threads.remove", { params }),
        await backend.ask("messages.update", { params: { thread_id, message_id }, body }),
        await backend.ask("messages.remove", { params, body: { message_ids: [message_id] } }),
        await backend.ask("runs.start", { params, body: { message: { parent_id: null, ...body } } }),
      ];
      for (const answer of refused) expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
      const branch = await branchOf(ada, thread_id);
      expect(branch).toHaveLength(2);
      expect(JSON.stringify(branch)).not.toContain("Changed");
    });
  });

  describe("requests by the server", () => {
    test("CVE-2025-66201, CVE-2024-32964: a URL in a message is never fetched", async ({ ada }) => {
      const visits: string[] = [];
      const trap = createServer((request, response) => {
        visits.push(request.url ?? "");
        response.end();
      });
      const { url: address, close } = await listenLocally(trap);
      const content = {
        role: "user" as const,
        content: [
          { type: "text", text: `See ${address}/text tokens=2` },
          { type: "image", image: `${address}/image.png` },
          { type: "file", data: `${address}/file.pdf`, mimeType: "application/pdf" },
          { type: "file", data: `${address}/file.txt`, mimeType: "text/plain" },
        ],
      };
      const started = await ada.call("runs.start", {
        params: { thread_id: newId("thread") },
        body: { message: { parent_id: null, content } },
      });
      await readWholeLog(ada, started.run_id);
      await ada.ask("runs.stream", {
        body: { thread_id: "unstable_todo", assistant_id: "default", messages: [content] },
      });
      expect(visits).toEqual([]);
      await close();
    });

    test("GHSA-5x7x-4c3c-qf5w: a provider's redirect is not followed, and the key is not sent there", async () => {
      const ada = server().inNewWorkspace();
      const visits: unknown[] = [];
      const trap = createServer((request, response) => {
        visits.push(request.headers);
        response.end();
      });
      const { url, close } = await listenLocally(trap);
      const { reply } = await sendAndWait(ada, `redirect=${url}/v1`);
      expect(reply.end?.state).toBe("failed");
      expect(visits).toEqual([]);
      await close();
    });
  });

  describe("access to secrets", () => {
    test("CVE-2026-32625, CVE-2026-31951: placeholders of variables stay text", async ({ ada }) => {
      const words = "${OPENAI_API_KEY} {{PARLANCE_SECRET}} $PATH %PATH% {{user_email}}";
      await sendAndWait(ada, `${words} tokens=1`);
      const [request] = await server().requestsWith(words);
      expect(JSON.stringify(request?.body)).toContain(JSON.stringify(words).slice(1, -1));
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date().toISOString(), title: words },
      });
      expect((await ada.call("threads.get", { params: { thread_id } })).thread.title).toBe(words);
    });

    test("CVE-2025-54868, CVE-2026-24477: paths for tests or a setup do not exist", async () => {
      for (const path of [
        "/v1/debug",
        "/v1/test",
        "/v1/search/test",
        "/v1/setup",
        "/v1/config",
        "/v1/env",
        "/v1/users",
        "/v1/admin",
        "/metrics",
        "/debug/pprof",
        "/.git/config",
        "/server/main.mjs",
      ]) {
        const answer = await server().guest.send("GET", path);
        expect(answer.text, path).not.toMatch(/secret|sk_aui|OPENAI|"id"/);
        if (path.startsWith("/v1")) expect(answer.status, path).toBeGreaterThanOrEqual(400);
      }
    });
  });

  describe("signing in as another person", () => {
    test("CVE-2025-41258: neither the secret nor values derived from it sign tokens", async ({ eve }) => {
      const { Authorization: authorization = "" } = eve.headers;
      const claims = decodeJwt(authorization.slice("Bearer ".length));
      const secret = "7d1f0b6c3a9e58424c0de1f7b2a6935d";
      for (const signer of [secret, deriveSecret(secret, "owner's link"), deriveSecret(secret, "")]) {
        const token = await new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .sign(new TextEncoder().encode(signer));
        await server().withToken(token).fails("invalid-token", "threads.list");
      }
      expect((await eve.ask("threads.list")).status).toBe(200);
    });

    test("CVE-2026-39411: a header with a name is not a credential", async ({ eve }) => {
      const { guest } = server();
      const names = { "Aui-User-Id": "user_ada", "Aui-Workspace-Id": "org_engines" };
      for (const headers of [
        names,
        { ...names, "X-Forwarded-User": "ada", "X-User-Id": "user_ada", "X-Workspace-Id": "org_engines" },
        { ...names, Cookie: "parlance=ada; user=ada" },
      ])
        expectProblem(await guest.send("GET", "/v1/threads", { headers }), "not-signed-in");
      const { user_id, workspace_id } = await eve.call("auth.me");
      const asked = await eve.send("GET", "/v1/auth/me", { headers: names });
      expect(asked.body).toMatchObject({ user_id, workspace_id });
    });

    test("CVE-2026-45339: a key is accepted in one header only", async () => {
      const headers = { "X-Api-Key": apiKey, "Api-Key": apiKey, Cookie: `key=${apiKey}` };
      const names = { "Aui-User-Id": "user_ada", "Aui-Workspace-Id": "org_engines" };
      for (const path of [
        "/v1/threads",
        "/v1/projects/threads",
        `/v1/threads?api_key=${apiKey}&access_token=${apiKey}&token=${apiKey}`,
      ])
        expectProblem(
          await server().guest.send("GET", path, { headers: { ...headers, ...names } }),
          "not-signed-in",
          "bad-request",
        );
    });

    test("CVE-2026-32617: pages of other origins cannot send cookies", async () => {
      for (const path of ["/v1/threads", "/v1/live", "/v1/runs/stream", "/v1/auth/session"]) {
        const answers = [
          await server().guest.send("OPTIONS", path, { headers: { Origin: "https://evil.example" } }),
          await server().guest.send("GET", path, { headers: { Origin: "https://evil.example" } }),
        ];
        for (const { headers } of answers) {
          expect(headers.get("access-control-allow-origin")).not.toBe("*");
          expect(headers.get("access-control-allow-credentials")).toBeNull();
          expect(headers.get("access-control-allow-headers") ?? "").not.toContain("parlance-client");
        }
      }
    });
  });

  describe("crashing the process", () => {
    test("CVE-2026-31949, GHSA-xmj6-g32r-fc5q: a malformed request does not crash it", async ({ eve }) => {
      for (const method of ["DELETE", "PUT", "POST", "GET", "PATCH"]) {
        for (const path of [
          "/v1/threads/x",
          "/v1/threads/%",
          "/v1/runs/x/stop",
          "/v1/auth/session",
          "/v1/threads/x/messages",
        ]) {
          for (const body of method === "GET"
            ? [undefined]
            : [undefined, "{", "null", "[]", '{"__proto__":null}', "\u0000"]) {
            const answer = await eve.send(method, path, {
              headers: { "Content-Type": "application/json" },
              ...(body === undefined ? {} : { body }),
            });
            expect(answer.status, `${method} ${path} ${body}`).toBeLessThan(500);
          }
        }
      }
      expect((await server().guest.send("GET", "/healthz")).status).toBe(200);
    });

    test("prototype pollution: names such as __proto__ are ordinary keys", async ({ ada }) => {
      const metadata = JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      ) as Record<string, never>;
      const { thread_id } = await ada.call("threads.create", {
        body: { last_message_at: new Date().toISOString(), metadata },
      });
      const text = (await ada.ask("threads.get", { params: { thread_id } })).text;
      expect(text).toContain('"__proto__":{"polluted":1}');
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });
  });
});
