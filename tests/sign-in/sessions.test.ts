import { expect, test } from "vitest";
import type { Session } from "#contract/endpoints/auth.ts";
import { apiKey } from "#fixtures/people.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";
import { keyHeaders, newAddress, visitor, type Visitor } from "../support/clients/visitor.ts";

const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

/** A browser that is signed in as a new guest, or as the owner. */
async function signIn(server: TestServer, userAgent: string, as?: "owner"): Promise<Visitor> {
  const body = as === "owner" ? { owner_secret: server.ownerLink.split("#")[1]! } : {};
  const opened = await fetch(`${server.url}/v1/auth/session`, {
    method: "POST",
    headers: { ...ownPage, ...newAddress(), "User-Agent": userAgent },
    body: JSON.stringify(body),
  });
  expect(opened.status).toBe(200);
  const Cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
  return visitor(server.url, userAgent, { ...ownPage, Cookie });
}

async function sessionsOf(who: Visitor): Promise<Session[]> {
  return (await who.call("auth.sessions")).sessions;
}

async function status(who: Visitor): Promise<number> {
  return (await who.ask("auth.me")).status;
}

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("the sessions of a person", { heartbeatMs: 3_600_000 }, (server) => {
  test("are listed, and one of them can be ended with its streams", async () => {
    const desk = await signIn(server(), "Desk/1", "owner");
    const phone = await signIn(server(), "Phone/1", "owner");
    const guest = await signIn(server(), "Guest/1");
    const listed = await sessionsOf(desk);
    expect(listed.map(({ user_agent, is_current }) => `${user_agent} ${is_current}`).toSorted()).toEqual([
      "Desk/1 true",
      "Phone/1 false",
    ]);
    const feed = await phone.live();
    expect((await feed.next()).value?.data).toMatchObject({ type: "hello" });

    // A guest has only their own session, and cannot end another.
    expect((await sessionsOf(guest)).map(({ user_agent }) => user_agent)).toEqual(["Guest/1"]);
    const params = { session_id: listed.find(({ user_agent }) => user_agent === "Phone/1")!.id };
    expect((await guest.ask("auth.endSession", { params })).status).toBe(404);
    expect((await guest.call("auth.endOtherSessions")).ended).toBe(0);
    expect(await status(phone)).toBe(200);

    expect((await desk.ask("auth.endSession", { params })).status).toBe(200);
    await feed.rest();
    expect(await status(phone)).toBe(401);
    expect(await status(desk)).toBe(200);
    expect((await desk.ask("auth.endSession", { params })).status).toBe(404);
    expect((await sessionsOf(desk)).map(({ user_agent }) => user_agent)).toEqual(["Desk/1"]);
  });

  test("can all be ended except the one that asks for it", async () => {
    const desk = await signIn(server(), "Desk/2", "owner");
    const others = [await signIn(server(), "Phone/2", "owner"), await signIn(server(), "Tablet/2", "owner")];
    const guest = await signIn(server(), "Guest/2");
    expect((await desk.call("auth.endOtherSessions")).ended).toBeGreaterThanOrEqual(2);
    expect(await Promise.all(others.map(status))).toEqual([401, 401]);
    expect(await Promise.all([desk, guest].map(status))).toEqual([200, 200]);
    expect(await sessionsOf(desk)).toHaveLength(1);
  });

  test("of a browser are not visible to a backend, whichever user id it sends", async () => {
    const desk = await signIn(server(), "Desk/3");
    const { user_id } = await desk.call("auth.me");
    const impostor = visitor(
      server().url,
      "impostor",
      keyHeaders(apiKey, { userId: user_id, workspaceId: user_id }),
    );
    expect(await sessionsOf(impostor)).toEqual([]);
    expect((await impostor.call("auth.endOtherSessions")).ended).toBe(0);
    const [{ id } = { id: "" }] = await sessionsOf(desk);
    expect((await impostor.ask("auth.endSession", { params: { session_id: id } })).status).toBe(404);
    expect(await status(desk)).toBe(200);
  });

  test("say when they were last used, and are extended by use", async () => {
    const guest = await signIn(server(), "Guest/4");
    const [first] = await sessionsOf(guest);
    expect(first!.last_used_at).toBe(first!.created_at);
    server().clock.advance(20 * 86_400_000);
    const nowMs = server().clock.now();
    await guest.call("auth.me");
    const [later] = await sessionsOf(guest);
    expect(Date.parse(later!.last_used_at)).toBeGreaterThanOrEqual(nowMs);
    server().clock.advance(20 * 86_400_000);
    expect(await status(guest)).toBe(200);
  });
});
