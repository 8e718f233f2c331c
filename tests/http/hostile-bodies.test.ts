import { beforeAll, expect, test, vi } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import type { ErrorBody } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { unfinishedRequest, type RawResponse } from "../support/clients/raw-request.ts";
import { describeServer } from "../support/servers/server.ts";
import { newAddress, type Visitor } from "../support/clients/visitor.ts";

const endpoints: [EndpointName, Endpoint][] = Object.entries(api) as never;
const withBody = endpoints.filter(([, { body, bodyFormat }]) => body !== undefined && bodyFormat !== "bytes");
const forAnyone = withBody.filter(([, { caller }]) => caller === "anyone").map(([name]) => name);
const forSome = withBody.filter(([, { caller }]) => caller !== "anyone").map(([name]) => name);
const rateLimited = endpoints
  .filter(([, it]) => it.requestsPerMinute !== undefined && it.method !== "GET" && it.caller !== "account")
  .map(([name]) => name);
const MiB = 1024 * 1024;
const waitOptions = { timeout: 10_000, interval: 20 };

describeServer("a hostile body", { on: ["sqlite"] }, (server) => {
  const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

  /** The server's answer to a request whose body never ends. */
  async function answerBeforeEnd(
    name: EndpointName,
    sent: { headers?: Record<string, string>; declaredBytes: number; body: string },
  ): Promise<RawResponse> {
    const { method, path } = api[name];
    const request = unfinishedRequest(server().url, {
      method,
      path: path.replaceAll(/\{(\w+)\}/g, "x"),
      ...sent,
      headers: { ...ownPage, ...sent.headers },
    });
    return await request.answer.finally(request.disconnect);
  }

  test("from a caller without a credential is at most 4 KiB", () => {
    expect(forAnyone).toEqual(expect.arrayContaining(["auth.refresh", "auth.openSession"]));
    expect(limits.bodyBytes).toBe(4 * 1024);
  });

  test.for(forAnyone)("is refused by its declared size before it is read: %s", async (name) => {
    const sent = { headers: newAddress(), declaredBytes: limits.bodyBytes + 1, body: "{" };
    expectProblem(await answerBeforeEnd(name, sent), "too-large");
  });

  test.for(forSome)("is not read before the credential is checked: %s", async (name) => {
    expectProblem(await answerBeforeEnd(name, { declaredBytes: 100, body: "{" }), "not-signed-in");
  });

  test.for(rateLimited)("is counted for its address before it is read: %s", async (name) => {
    const address = newAddress();
    const { method, path, requestsPerMinute } = api[name] as Endpoint;
    const spend = async () =>
      await server().guest.send(method, path, { headers: { ...ownPage, ...address }, body: "no JSON" });
    for (let sent = 0; sent < requestsPerMinute!; sent += 20)
      for (const answer of await Promise.all(Array.from({ length: 20 }, spend)))
        expectProblem(answer, "bad-json");
    const refused = await answerBeforeEnd(name, { headers: address, declaredBytes: 100, body: "{" });
    expectProblem(refused, "rate-limited");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  });

  test("has a rate limit at every endpoint without a credential", () => {
    expect(rateLimited).toEqual(expect.arrayContaining(forAnyone));
  });
});

describeServer("the JSON values of a body", { on: ["sqlite"] }, (server) => {
  let ada: Visitor;
  let threadId: string;
  beforeAll(async () => {
    ada = server().inNewWorkspace("ada");
    const body = { last_message_at: new Date().toISOString() };
    threadId = (await ada.call("threads.create", { body })).thread_id;
  });

  const add = async (content: object) =>
    await ada.ask("messages.add", {
      params: { thread_id: threadId },
      body: { parent_id: null, format: "notes/v1", content: content as never },
    });

  test.for([
    ["empty objects", "[", "{},"],
    ["empty lists", "[", "[],"],
    ["numbers", "[", "1,"],
    ["keys", "{", '"a":1,'],
    ["levels", "", "["],
  ])("are limited, and refused before the rest arrives: %s", async ([, start, each]) => {
    const request = unfinishedRequest(server().url, {
      method: "POST",
      path: `/v1/threads/${threadId}/messages`,
      headers: { ...ada.headers, "Content-Type": "application/json" },
      declaredBytes: 15 * MiB,
      body: `{"content":${start}${each!.repeat(limits.jsonValues + 1)}`,
    });
    const answer = await request.answer.finally(request.disconnect);
    expectProblem(answer, "bad-request");
    expect((JSON.parse(answer.text) as ErrorBody).details).toEqual([
      { path: "body", message: `must hold at most ${limits.jsonValues} values` },
    ]);
  });

  test("do not include characters of texts: megabytes of any characters are returned unchanged", async () => {
    const text = '{"a":[1,2],"b":"\\\\\\"",},[[[{{{:::,,,\\'.repeat((7 * MiB) / 60);
    const { status } = await add({ text });
    expect(status).toBe(201);
    const { messages } = await ada.call("messages.list", { params: { thread_id: threadId } });
    expect(messages[0]!.content.text === text).toBe(true);
  });

  test("of a long conversation are accepted", async () => {
    const messages = Array.from({ length: 5_000 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${n}, with "quotes", [brackets] and {braces}. ` }],
    }));
    const { status } = await add({ messages });
    expect(status).toBe(201);
  });
});

describeServer(
  "the memory for the bodies of one address",
  { on: ["sqlite"], settings: { BODIES_PER_ADDRESS_MIB: "48" } },
  (server) => {
    test("is limited, always has room for small bodies, and is free again when requests end", async () => {
      const eve = await server().owner();
      const bytes = Buffer.alloc(13 * MiB, "x");
      const path = `/v1/threads/${newId("thread")}/messages`;
      const headers = { ...eve.headers, "Content-Type": "application/json" };
      const sent = { method: "POST", path, headers, declaredBytes: bytes.length + 1, body: bytes };
      const requests = [1, 2, 3, 4].map(() => unfinishedRequest(server().url, sent));
      const refused = await Promise.race(requests.map(({ answer }) => answer));
      expectProblem(refused, "rate-limited");
      expect(refused.headers["retry-after"]).toBe("5");
      await eve.call("threads.create", { body: { last_message_at: new Date().toISOString() } });

      for (const request of requests) request.disconnect();
      const whole = { parent_id: null, format: "notes/v1", content: {}, newer: bytes.toString() };
      const sendWhole = async () => {
        const answer = await eve.send("POST", path, { headers, body: JSON.stringify(whole) });
        expectProblem(answer, "thread-not-found");
      };
      await vi.waitFor(sendWhole, waitOptions);
      for (let again = 0; again < 4; again++) await sendWhole();
    });
  },
);
