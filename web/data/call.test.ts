import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createCall, type Fetch } from "./call.ts";
import { createCookieSession } from "./session/cookie-session.ts";
import { errors } from "#contract/errors.ts";
import { CallError } from "./call-error.ts";
import { failureOf } from "./failure.ts";

type RecordedRequest = { url: string; method: string; headers: Record<string, string>; body: unknown };

function service(
  answer: (request: RecordedRequest, times: number) => { status: number; body: object | string } | undefined,
  storage = memoryStorage(),
) {
  const requests: RecordedRequest[] = [];
  const fetch: Fetch = async (url, init) => {
    const request = {
      url,
      method: init.method ?? "GET",
      headers: init.headers as Record<string, string>,
      body: JSON.parse((init.body as string | undefined) ?? "null") as unknown,
    };
    requests.push(request);
    const given =
      url === "/v1/auth/session" ? me : answer(request, requests.filter((other) => other.url === url).length);
    if (given === undefined) throw new TypeError("failed to fetch");
    return new Response(typeof given.body === "string" ? given.body : JSON.stringify(given.body), {
      status: given.status,
    });
  };
  const credentials = createCookieSession({
    baseUrl: "",
    fetch,
    storage,
    onMe: () => {},
    onRefused: () => {},
  });
  return {
    requests,
    storage,
    urls: () => requests.map(({ url }) => url),
    call: createCall({ baseUrl: "", fetch, credentials }),
  };
}

const me = { status: 200, body: { user_id: "usr_0", workspace_id: "usr_0", kind: "anonymous" } };
const problem = (status: number, code: string) => ({
  status,
  body: { error: code, code, message: `${code}.`, request_id: "req_1" },
});

test("opens the session first, and sends the client header", async () => {
  const { call, requests, urls } = service(() => ({ status: 200, body: { threads: [] } }));
  await call("threads.list", { query: { limit: "30", after: "thread_0a" } });
  expect(urls()).toEqual(["/v1/auth/session", "/v1/threads?limit=30&after=thread_0a"]);
  for (const { headers } of requests) expect(headers["Parlance-Client"]).toBe("web");
});

test("does not wait for the session if this browser has opened one before", async () => {
  const before = service(() => ({ status: 200, body: { threads: [] } }));
  await before.call("threads.list", { query: {} });
  const { call, urls } = service(() => ({ status: 200, body: { threads: [] } }), before.storage);
  await call("threads.list", { query: {} });
  expect(urls()).toEqual(["/v1/threads"]);
});

test("opens a session if the previous one is no longer valid", async () => {
  const before = service(() => ({ status: 200, body: {} }));
  await before.call("auth.me", {});
  const { call, urls } = service(
    (_, times) => (times === 1 ? problem(401, "not-signed-in") : { status: 200, body: {} }),
    before.storage,
  );
  await call("auth.me", {});
  expect(urls()).toEqual(["/v1/auth/me", "/v1/auth/session", "/v1/auth/me"]);
});

test("fills the path parameters and encodes them", async () => {
  const { call, urls } = service(() => ({ status: 200, body: {} }));
  await call("threads.remove", { params: { thread_id: "a/../b" } });
  expect(urls().at(-1)).toBe("/v1/threads/a%2F..%2Fb");
});

test("opens a lost session again and repeats the request with its body", async () => {
  const { call, requests, urls } = service((_, times) =>
    times === 1 ? problem(401, "token-expired") : { status: 200, body: {} },
  );
  await call("threads.update", { params: { thread_id: "t" }, body: { title: "kept" } });
  expect(urls()).toEqual(["/v1/auth/session", "/v1/threads/t", "/v1/auth/session", "/v1/threads/t"]);
  expect(requests.at(-1)?.body).toEqual({ title: "kept" });
});

test("repeats a request only once", async () => {
  const { call, urls } = service(() => problem(401, "not-signed-in"));
  await expect(call("auth.me", {})).rejects.toThrow(CallError);
  expect(urls()).toHaveLength(4);
});

test("does not open a new session for a missing permission", async () => {
  const { call, urls } = service(() => problem(403, "not-allowed"));
  await expect(call("auth.me", {})).rejects.toThrow("not-allowed.");
  expect(urls()).toHaveLength(2);
});

test("translates the server's error code, and says whether a retry can help", async () => {
  const { call } = service(() => problem(409, "thread-busy"));
  const error = await call("auth.me", {}).catch((caught: unknown) => caught);
  expect(failureOf(error)).toEqual({
    code: "thread-busy",
    message: errors["thread-busy"].message,
    retry: true,
    requestId: "req_1",
  });
});

test("shows the server's message for a code that this version does not have", async () => {
  const { call } = service(() => problem(409, "of-tomorrow"));
  const error = await call("auth.me", {}).catch((caught: unknown) => caught);
  expect(failureOf(error)).toMatchObject({ code: "of-tomorrow", message: "of-tomorrow." });
});

test("has messages for a proxy's error page and for no response at all", async () => {
  const page = service(() => ({ status: 502, body: "<h1>Bad Gateway</h1>" }));
  expect(failureOf(await page.call("auth.me", {}).catch((caught: unknown) => caught))).toMatchObject({
    code: "unexpected-answer",
    retry: true,
  });
  const nothing = service(() => undefined);
  expect(failureOf(await nothing.call("auth.me", {}).catch((caught: unknown) => caught))).toMatchObject({
    code: "network",
    retry: true,
  });
});

test("opens one session for concurrent calls", async () => {
  const { call, urls } = service(() => ({ status: 200, body: {} }));
  await Promise.all([call("auth.me", {}), call("models.list", {}), call("threads.list", { query: {} })]);
  expect(urls().filter((url) => url === "/v1/auth/session")).toHaveLength(1);
});
