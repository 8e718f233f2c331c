import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createBearerSession } from "./bearer-session.ts";
import type { Fetch } from "../call.ts";
import { CallError } from "../call-error.ts";

const baseUrl = "https://chat.example";
const key = `parlance.refresh-token.${baseUrl}`;

/** An access token with a lifetime of 300 s, issued by a clock that differs much from ours. */
function accessToken(n: number): string {
  return [
    "head",
    Buffer.from(JSON.stringify({ n, iat: 5_000, exp: 5_300 })).toString("base64url"),
    "sign",
  ].join(".");
}

type Answer = { status: number; body?: object; headers?: Record<string, string> } | "no network";

function service(...answers: Answer[]) {
  const requests: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const { refresh_token: token } = JSON.parse((init.body as string | undefined) ?? "{}") as {
      refresh_token?: string;
    };
    requests.push(`${url.slice(baseUrl.length)}${token === undefined ? "" : ` ${token}`}`);
    const answer = answers.shift() ?? "no network";
    if (answer === "no network") throw new TypeError("failed to fetch");
    return new Response(JSON.stringify(answer.body ?? {}), {
      status: answer.status,
      headers: answer.headers ?? {},
    });
  };
  return { fetch, requests };
}

const tokens = (n: number): Answer => ({
  status: 200,
  body: {
    access_token: accessToken(n),
    refresh_token: { token: `refresh_${n}`, expires_at: "2027-01-01T00:00:00.000Z" },
  },
});
const refusal: Answer = {
  status: 403,
  body: { code: "invalid-refresh-token", message: "This sign-in has ended." },
};
const bearer = (n: number) => ({ Authorization: `Bearer ${accessToken(n)}` });

test("signs up on a device without a session, and stores the refresh token", async () => {
  const storage = memoryStorage();
  const { fetch, requests } = service(tokens(1));
  const session = createBearerSession({ baseUrl, fetch, storage });
  expect(await session.headers()).toEqual(bearer(1));
  expect(requests).toEqual(["/v1/auth/tokens/anonymous"]);
  expect(storage.get(key)).toBe("refresh_1");
});

test("refreshes 30 s before the token expires, whatever this device's date is", async () => {
  let nowMs = 0;
  const storage = memoryStorage();
  storage.set(key, "refresh_0");
  const { fetch, requests } = service(tokens(1), tokens(2));
  const session = createBearerSession({ baseUrl, fetch, storage, now: () => nowMs });
  await session.headers();
  nowMs = 269_999;
  expect(await session.headers()).toEqual(bearer(1));
  nowMs = 270_000;
  expect(await session.headers()).toEqual(bearer(2));
  expect(requests).toEqual(["/v1/auth/tokens/refresh refresh_0", "/v1/auth/tokens/refresh refresh_1"]);
});

test("sends one request for concurrent calls", async () => {
  const { fetch, requests } = service(tokens(1));
  const session = createBearerSession({ baseUrl, fetch, storage: memoryStorage() });
  await Promise.all([session.headers(), session.headers(), session.headers()]);
  expect(requests).toHaveLength(1);
});

test("creates a new visitor when the refresh is forbidden", async () => {
  const storage = memoryStorage();
  storage.set(key, "refresh_old");
  const { fetch, requests } = service(refusal, tokens(1));
  const session = createBearerSession({ baseUrl, fetch, storage });
  expect(await session.headers()).toEqual(bearer(1));
  expect(requests).toEqual(["/v1/auth/tokens/refresh refresh_old", "/v1/auth/tokens/anonymous"]);
});

test.each<[string, Answer]>([
  [
    "a busy service",
    { status: 429, body: { code: "rate-limited", message: "Wait." }, headers: { "Retry-After": "7" } },
  ],
  ["a service that restarts", { status: 503 }],
  ["no network", "no network"],
])("keeps the user with %s", async (_, answer) => {
  let nowMs = 0;
  const storage = memoryStorage();
  storage.set(key, "refresh_old");
  const { fetch, requests } = service(answer, tokens(1));
  const session = createBearerSession({ baseUrl, fetch, storage, now: () => nowMs });
  const error = await session.headers().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CallError);
  expect((error as CallError).failure.retry).toBe(true);
  expect(storage.get(key)).toBe("refresh_old");
  // It sends no request for a moment, or for as long as the server requests.
  await expect(session.headers()).rejects.toBe(error);
  expect(requests).toHaveLength(1);
  nowMs += 7_000;
  expect(await session.headers()).toEqual(bearer(1));
  expect(requests).not.toContain("/v1/auth/tokens/anonymous");
});

test("uses the old token while the server is too busy to issue another one", async () => {
  let nowMs = 0;
  const { fetch } = service(tokens(1), { status: 429 });
  const session = createBearerSession({ baseUrl, fetch, storage: memoryStorage(), now: () => nowMs });
  await session.headers();
  nowMs = 280_000;
  expect(await session.headers()).toEqual(bearer(1));
});

test("uses the token that another tab has received meanwhile, instead of creating a new visitor", async () => {
  const storage = memoryStorage();
  storage.set(key, "refresh_old");
  const { fetch, requests } = service(refusal, tokens(2));
  const racing: Fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (requests.length === 1) storage.set(key, "refresh_of_another_tab");
    return answer;
  };
  const session = createBearerSession({ baseUrl, fetch: racing, storage });
  expect(await session.headers()).toEqual(bearer(2));
  expect(requests[1]).toBe("/v1/auth/tokens/refresh refresh_of_another_tab");
});

test("renews once for concurrent refused calls", async () => {
  const { fetch, requests } = service(tokens(1), tokens(2));
  const session = createBearerSession({ baseUrl, fetch, storage: memoryStorage() });
  const refused = await session.headers();
  await Promise.all([session.renew(refused), session.renew(refused)]);
  await session.renew(refused);
  expect(await session.headers()).toEqual(bearer(2));
  expect(requests).toHaveLength(2);
});
