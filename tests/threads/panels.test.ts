import { beforeAll, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { shareWith } from "../shares/sharing.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";

const now = () => new Date().toISOString();
const newThread = async (who: Visitor) =>
  (await who.call("threads.create", { body: { last_message_at: now() } })).thread_id;
const clock = { key: "html:Clock", version: "msg_1.0", view: "changes", base: "msg_0.0", top: 120 } as const;

const panelOf = async (who: Visitor, thread_id: string) =>
  (await who.call("threads.panel", { params: { thread_id } })).panel;
const setPanel = async (who: Visitor, thread_id: string, panel: object | null) =>
  await who.ask("threads.setPanel", { params: { thread_id }, body: { panel } as never });

describeServer("the panel beside a thread", { model: true }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
  });
  const newPerson = async () => await join(owner, { email: `${newId("user")}@example.com` });
  const rowsOf = async (threadId: string) =>
    await rawSql(
      server().place,
      async (run) => await run(`select user_id from thread_panels where thread_id = '${threadId}'`),
    );

  test("is stored as each person left it last", async () => {
    const [ada, ben] = [await newPerson(), await newPerson()];
    const threadId = await newThread(ada);
    const get = async (who: Visitor) => await who.call("threads.panel", { params: { thread_id: threadId } });
    expect(await get(ada)).toEqual({ panel: null, updated_at: null });
    await setPanel(ada, threadId, clock);
    const { updated_at: first, panel } = await get(ada);
    expect(panel).toEqual(clock);
    await setPanel(ada, threadId, { key: "file:1", top: 0 });
    expect((await get(ada)).panel).toEqual({ key: "file:1", top: 0 });
    expect(Date.parse((await get(ada)).updated_at!)).toBeGreaterThanOrEqual(Date.parse(first!));
    await setPanel(ada, threadId, null);
    expect(await get(ada)).toEqual({ panel: null, updated_at: expect.any(String) as string });

    await setPanel(ada, threadId, clock);
    await ben.fails("thread-not-found", "threads.panel", { params: { thread_id: threadId } });
    expectProblem(await setPanel(ben, threadId, clock), "thread-not-found");
    await shareWith(ada, threadId, ben, "read");
    expect(await panelOf(ben, threadId)).toBeNull();
    await setPanel(ben, threadId, { key: "source:1", top: 7 });
    expect(await panelOf(ben, threadId)).toEqual({ key: "source:1", top: 7 });
    expect(await panelOf(ada, threadId)).toEqual(clock);
  });

  test("is limited in size, and not stored for a temporary thread", async ({ dan }) => {
    const threadId = await newThread(dan);
    for (const [wrong, field] of [
      [{ ...clock, key: "k".repeat(301) }, "body.panel.key"],
      [{ ...clock, version: "v".repeat(301) }, "body.panel.version"],
      [{ ...clock, base: "" }, "body.panel.base"],
      [{ ...clock, view: "all" }, "body.panel.view"],
      [{ ...clock, top: -1 }, "body.panel.top"],
      [{ ...clock, top: 1e9 }, "body.panel.top"],
    ] as const) {
      const answer = await setPanel(dan, threadId, wrong);
      expectProblem(answer, "bad-request");
      expect(JSON.stringify(answer.body)).toContain(field);
    }
    const longest = "\u0000".repeat(300);
    await setPanel(dan, threadId, { key: longest, version: longest, base: longest, top: 0 });
    expect(await panelOf(dan, threadId)).toMatchObject({ key: longest, base: longest });

    const temporary = newId("thread");
    await dan.call("runs.start", {
      params: { thread_id: temporary },
      body: { temporary: true, message: { parent_id: null, content: userMessage("Quick tokens=1") } },
    });
    expectProblem(await setPanel(dan, temporary, clock), "thread-temporary");
    expect(await panelOf(dan, temporary)).toBeNull();
  });

  test("moves with a guest's threads, and is erased with the thread and the person", async () => {
    const { access_token, refresh_token } = await signUp(server().url);
    const guest = visitor(server().url, "dan", { ...bearer(access_token), ...newAddress() });
    const [kept, thrown] = [await newThread(guest), await newThread(guest)];
    for (const id of [kept, thrown]) await setPanel(guest, id, clock);
    const una = server().inNewWorkspace();
    await una.call("threads.claim", { body: { refresh_token: refresh_token.token } });
    expect(await panelOf(una, kept)).toEqual(clock);

    await una.call("threads.remove", { params: { thread_id: thrown } });
    await una.call("trash.remove", { params: { thread_id: thrown } });
    expect(await rowsOf(thrown)).toEqual([]);

    const eve = await newPerson();
    const shared = await newThread(owner);
    await shareWith(owner, shared, eve, "read");
    for (const who of [owner, eve]) await setPanel(who, shared, clock);
    const { user_id } = await owner.call("auth.me");
    await eve.call("erasure.everything");
    expect(await rowsOf(shared)).toEqual([{ user_id }]);
  });
});
